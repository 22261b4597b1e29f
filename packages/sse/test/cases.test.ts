import { setTimeout as delay } from 'node:timers/promises'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import type { Context } from '@fw/types'
import {
  connect,
  type ClientResponse,
  settle,
  sharedCases,
  TEST_PROTOCOLS,
  testCertificate,
  type TestProtocol,
} from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { sse, SseChannel, type SseOptions, type SseStream } from '../src/index.ts'
import { parseEventStream } from './parse-event-stream.ts'

interface Call {
  readonly op: string
  readonly args?: readonly unknown[]
  readonly await?: false
  readonly throws?: 'TypeError' | 'RangeError'
  readonly returns?: unknown
}

type Published = [name: string, data: string, options: { id?: string }]

interface Case {
  readonly name: string
  readonly rule: string
  readonly options?: SseOptions
  readonly setHeaders?: Readonly<Record<string, string>>
  readonly request?: { method?: string; target?: string; headers?: Readonly<Record<string, string>> }
  readonly calls: readonly Call[]
  readonly channel?: { readonly history?: number; readonly published?: readonly Published[] }
  readonly expectGap?: boolean
  readonly expectWire?: unknown
  readonly expectPattern?: string
  readonly expectEvents?: unknown
  readonly expectRetry?: number | null
  readonly expectLastEventId?: string
  readonly expectHead?: { status: number; headers: Readonly<Record<string, string>>; absent: readonly string[] }
  readonly expectEnd?: 'complete' | 'truncated' | 'disconnected'
}

/** Returns the value that a JSON form represents. */
function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => revive(item))
  if (typeof value !== 'object' || value === null) return value
  const [[key, form] = ['', undefined]] = Object.entries(value)
  switch (key) {
    case '$undefined':
      return undefined
    case '$number':
      return Number(form)
    case '$bigint':
      return BigInt(form as string)
    case '$date':
      return new Date(form as string)
    case '$function':
      return () => {}
    case '$cycle': {
      const cycle: Record<string, unknown> = {}
      cycle['self'] = cycle
      return cycle
    }
    case '$codeUnits':
      return String.fromCharCode(...(form as number[]))
    case '$repeat':
      return (form as [string, number])[0].repeat((form as [string, number])[1])
    case '$concat':
      return (form as unknown[]).map((part) => String(revive(part))).join('')
    default:
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revive(member)]))
  }
}

const bytes = ([name, value]: [string, string]): [string, string] => [name, Buffer.from(value).toString('latin1')]

/** The bytes that the client has received. */
class Client {
  response: ClientResponse | undefined
  text = ''
  end: 'complete' | 'truncated' | 'disconnected' = 'complete'
  isStalled = false
  /**
   * The text that the client must have received before it disconnects. QUIC discards bytes that are still in transit.
   */
  #expected: unknown

  async run(protocol: TestProtocol, port: number, { request = {}, expectWire }: Case): Promise<void> {
    this.#expected = revive(expectWire)
    const { method = 'GET', target = '/', headers = {} } = request
    const client = await connect(protocol, { port })
    try {
      this.response = await client.request({ method, path: target, headers: Object.entries(headers).map(bytes) })
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      for await (const slice of this.response.body) {
        this.text += decoder.decode(slice, { stream: true })
        if (this.isStalled) await new Promise(() => {})
      }
    } catch {
      if (this.end === 'complete') this.end = 'truncated'
    } finally {
      await client.close()
    }
  }

  async disconnect(): Promise<void> {
    await until(() => this.response !== undefined && (this.#expected === undefined || this.text === this.#expected))
    this.end = 'disconnected'
    this.response?.abort()
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let ms = 0; !condition(); ms += 2) {
    if (ms > 5000) throw new Error('The expected output did not arrive within 5 s')
    await delay(2)
  }
}

/** Makes one call of a case. */
async function perform(
  call: Call,
  stream: SseStream,
  client: Client,
  server: Server,
  channel: SseChannel,
): Promise<unknown> {
  const args = (call.args ?? []).map((arg) => revive(arg))
  switch (call.op) {
    case 'lastEventId':
      return stream.lastEventId
    case 'aborted':
      return stream.signal.aborted
    case 'seenHead':
      return until(() => client.response !== undefined)
    case 'seen':
      return until(() => client.text.includes(args[0] as string))
    case 'wait':
      return settle(args[0] as number)
    case 'stall':
      client.isStalled = true
      return undefined
    case 'disconnect':
      await client.disconnect()
      return until(() => !stream.isOpen())
    case 'serverClose':
      void server.close()
      return until(() => !stream.isOpen())
    case 'subscribe':
      return channel.subscribe(stream)
    case 'publish':
      return channel.publish(...(args as Published))
    case 'throw':
      throw new HandlerFault()
    case 'from': {
      const items = args[0] as string[]
      return stream.from(
        (async function* () {
          yield* items
        })(),
      )
    }
    default:
      return (stream as unknown as Record<string, (...args: unknown[]) => unknown>)[call.op]?.(...args)
  }
}

class HandlerFault extends Error {}

/** Makes the calls. Returns the result of each call, or the name of its error. */
async function makeCalls(
  calls: readonly Call[],
  stream: SseStream,
  client: Client,
  server: Server,
  channel: SseChannel,
): Promise<unknown[]> {
  const made: unknown[] = []
  for (const call of calls) {
    const result = perform(call, stream, client, server, channel).catch((error: unknown) => {
      if (error instanceof HandlerFault) throw error
      return (error as Error).name
    })
    made.push(call.await === false ? result : await result)
  }
  return Promise.all(made)
}

function expectedOf(calls: readonly Call[]): unknown[] {
  return calls.filter(({ op }) => op !== 'return').map(({ throws, returns }) => throws ?? returns)
}

const cases = sharedCases('sse.json') as readonly Case[]

/** Connection-specific fields, which exist only in HTTP/1.1 (RFC 9113 §8.2.2, RFC 9114 §4.2). */
const CONNECTION_FIELDS = new Set(['connection', 'transfer-encoding'])

describe.runIf(cases.length > 0).each(TEST_PROTOCOLS)('sse.json over %s', (protocol) => {
  const isHttp1 = protocol === 'h1' || protocol === 'h1+tls'
  beforeAll(() => setSinks([]))

  it.for(cases)('passes $rule: $name', async (one) => {
    const { key, cert } = await testCertificate()
    const isCleartext = protocol === 'h1' || protocol === 'h2c'
    const server = new Server(isCleartext ? {} : { tls: { key, cert }, http3: protocol === 'h3' })
    const client = new Client()
    let gaps = 0
    const channel = new SseChannel({ history: one.channel?.history, onGap: () => gaps++ })
    for (const published of one.channel?.published ?? []) channel.publish(...published)
    const calls = Promise.withResolvers<unknown[]>()
    const handler = async (ctx: Context<object>): Promise<void> => {
      for (const [name, value] of Object.entries(one.setHeaders ?? {})) ctx.responseHeaders.set(name, value)
      const stream = await sse(ctx, one.options)
      const at = one.calls.findIndex(({ op }) => op === 'return')
      const [before, after] = at === -1 ? [one.calls, []] : [one.calls.slice(0, at), one.calls.slice(at + 1)]
      const early = makeCalls(before, stream, client, server, channel)
      const late = early.then(async (results) => {
        if (at !== -1) await until(() => !stream.isOpen())
        return [...results, ...(await makeCalls(after, stream, client, server, channel))]
      })
      late.then(calls.resolve, calls.reject)
      await early
    }
    server.router().all('/', handler).all('/*rest', handler)
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const receiving = client.run(protocol, Number(url.port), one)
    const results = await calls.promise.catch((error: unknown) => {
      if (error instanceof HandlerFault) return expectedOf(one.calls)
      throw error
    })
    if (!client.isStalled) await receiving
    await server.close({ drainMs: 0 })

    const parsed = parseEventStream(client.text)
    const seen: Record<string, unknown> = { end: client.end, calls: results }
    const expected: Record<string, unknown> = { end: one.expectEnd ?? 'complete', calls: expectedOf(one.calls) }
    const compare = (what: string, actual: unknown, wanted: unknown): void => {
      if (wanted === undefined) return
      seen[what] = actual
      expected[what] = wanted
    }
    compare('wire', client.text, revive(one.expectWire))
    const { expectPattern } = one
    if (expectPattern !== undefined) compare('matches', new RegExp(expectPattern, 'u').test(client.text), true)
    compare('events', parsed.events, revive(one.expectEvents))
    compare('retry', parsed.retryMs, one.expectRetry)
    compare('lastEventId', parsed.lastEventId, one.expectLastEventId)
    compare('gap', gaps > 0, one.expectGap)
    const { response } = client
    compare('status', response?.status, one.expectHead?.status)
    for (const [name, value] of Object.entries(one.expectHead?.headers ?? {})) {
      compare(name, response?.headers.get(name), isHttp1 || !CONNECTION_FIELDS.has(name) ? value : null)
    }
    for (const name of one.expectHead?.absent ?? []) compare(name, response?.headers.get(name), null)
    expect(seen).toEqual(expected)
  })
})
