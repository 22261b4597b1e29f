import { once } from 'node:events'
import { connect as connectTcp, type NetConnectOpts } from 'node:net'
import { Server } from '@fw/core'
import { Level, MemorySink, setLevel, setSinks } from '@fw/log'
import { connect, tempFolder, testCertificate, type TestField } from '@fw/testing'
import type { Context, ProtocolText } from '@fw/types'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { accessLog, RequestLogger, type AccessLogConfig } from '../src/index.ts'
import { CASES, configOf, fields, levelOf, latin1, shown, type Case } from './case.ts'

/** The compared results, by name. */
type Seen = Record<string, unknown>

/** A server that behaves as a case describes. */
interface Served {
  readonly server: Server
  /** Resolves when the exchange has ended. */
  readonly finished: Promise<unknown>
  /** Resolves when the client must disconnect, in cases with an early disconnect. */
  readonly leave: Promise<unknown>
  /** Whether the handler found a `RequestLogger`. */
  hasRequestLogger: boolean | undefined
}

/** Sends a case's request and reads the response, or disconnects early. @returns The status, if there is one */
type Send = (one: Case, url: URL | string, leave: Promise<unknown>) => Promise<number | undefined>

const sink = new MemorySink()

beforeEach(() => {
  sink.clear()
  setSinks([sink])
  // Some cases use callbacks that fail.
  vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
})
afterAll(() => {
  vi.restoreAllMocks()
  setSinks([])
  setLevel(Level.Info)
})

runOver('HTTP/1.1', sendOverHttp1, () => true)
runOver('HTTP/2.0', sendOver('h2c'), isForEveryProtocol)
runOver('HTTP/3.0', sendOver('h3'), isForEveryProtocol)

/** Runs the cases that a protocol can carry, each on a new server. */
function runOver(protocol: ProtocolText, send: Send, isCarried: (one: Case) => boolean): void {
  const cases = CASES.filter((one) => one.over !== 'context' && isCarried(one))
  describe.runIf(cases.length > 0)(`access-log.json over ${protocol}`, () => {
    it.for(cases)('follows rule $rule: $name', async (one) => {
      setLevel(levelOf(one.threshold ?? 'trace'))
      const served = serve(one, protocol === 'HTTP/3.0' ? await testCertificate() : undefined)
      try {
        await using folder = await tempFolder()
        const url = await listen(served.server, one, folder.join('socket'))
        const status = await send(one, url, served.leave)
        if (one.response.from !== 'parser') await served.finished
        // Entries are logged in the same turn in which the exchange ends.
        await new Promise((resolve) => setImmediate(resolve))
        const { seen, expected } = outcomeOf(one, served, protocol)
        const wanted = one.response.aborted === undefined ? one.response.status : undefined
        expect({ status, ...seen }).toEqual({ status: wanted, ...expected })
      } finally {
        await served.server.close({ drainMs: 0 })
      }
    })
  })
}

/** Reports whether every protocol can carry the case. Other cases need HTTP/1.1 or a client with a different address. */
function isForEveryProtocol({ request, response }: Case): boolean {
  return response.from !== 'parser' && request.peer === '127.0.0.1' && latin1(request.target).startsWith('/')
}

function serve(one: Case, tls: { key: string; cert: string } | undefined): Served {
  const [finished, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = new Server(tls === undefined ? {} : { tls: { key: tls.key, cert: tls.cert }, http3: true })
  const served: Served = { server, finished: finished.promise, leave: leave.promise, hasRequestLogger: undefined }
  const handle = async (ctx: Context): Promise<void> => {
    ctx.onFinish(() => finished.resolve())
    for (const { op, args } of one.requestLog ?? []) ctx.local(RequestLogger)[op](...args)
    served.hasRequestLogger = ctx.get(RequestLogger) !== null
    if (isSlow(one)) await new Promise((resolve) => setTimeout(resolve, 5))
    await respond(ctx, one.response, leave.resolve)
  }
  const router = server.router().notFound(handle)
  if (one.middleware !== false) router.use(accessLog(configFor(one, one.config)))
  if (one.group !== undefined) {
    const group = router.group(one.group.prefix).use(accessLog(configFor(one, one.group.config)))
    if (one.response.from !== 'no-route') group.all('/*path', handle)
  }
  if (one.response.from !== 'no-route') router.all('/*path', handle).options('/*path', handle)
  return served
}

async function respond(ctx: Context, response: Case['response'], leave: () => void): Promise<void> {
  if (response.from === 'no-route') return ctx.empty(404)
  if (response.from === 'throw') throw new Error('as described')
  if (response.aborted === 'before-head') {
    leave()
    return new Promise((resolve) => ctx.onFinish(() => resolve()))
  }
  ctx.status = response.status
  for (const [name, values] of Object.entries(fields(response.headers))) {
    for (const value of values) ctx.responseHeaders.append(name, value)
  }
  const bytes = new Uint8Array(response.bytes ?? 0)
  if (response.aborted === undefined && response.stream !== true) return ctx.bytes(bytes)
  const body = ctx.startResponse()
  const isTaken = body.write(bytes)
  if (response.aborted === undefined) {
    if (!isTaken) await body.drained()
    return body.end()
  }
  leave()
  await new Promise<void>((resolve) => ctx.onFinish(() => resolve()))
}

/** Reports whether the case is about a slow request. */
function isSlow({ config, response }: Case): boolean {
  const threshold = Number(config['slowThreshold'] ?? 0)
  return threshold > 0 && response.durationNs > threshold
}

/** Returns the configuration. Replaces the threshold with one that gives the same result without a long wait. */
function configFor(one: Case, described: Record<string, unknown>): AccessLogConfig {
  const config = configOf(described)
  return config.slowThreshold ? { ...config, slowThreshold: isSlow(one) ? 1_000_000 : 3_600_000_000_000 } : config
}

/** @returns The address to connect to, or the path of a Unix socket */
async function listen(server: Server, { request: { peer } }: Case, path: string): Promise<URL | string> {
  if (peer === null) {
    await server.listen({ path })
    return path
  }
  const host = peer.startsWith('127.') ? '127.0.0.1' : peer
  return (await server.listen({ host, port: 0 })).url
}

async function sendOverHttp1(one: Case, url: URL | string, leave: Promise<unknown>): Promise<number | undefined> {
  const { method, target, headers, peer, raw } = one.request
  const lines = Object.entries({ host: ['x'], ...fields(headers) }).flatMap(([name, values]) =>
    values.map((value) => `${name}: ${value}`),
  )
  const head = [`${method} ${latin1(target)} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n')
  const socket = connectTcp(http1Address(url, peer))
  await once(socket, 'connect')
  socket.write(raw ?? head, 'latin1')
  if (one.response.aborted !== undefined) {
    await leave
    socket.destroy()
    return undefined
  }
  const slices: Buffer[] = await socket.toArray()
  return Number(Buffer.concat(slices).toString('latin1', 9, 12))
}

function http1Address(url: URL | string, peer: string | null): NetConnectOpts {
  if (typeof url === 'string') return { path: url }
  const [host, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port)]
  // A dual-stack listener receives an IPv4-mapped address for an IPv4 client.
  if (peer?.startsWith('::ffff:')) return { host: '127.0.0.1', port }
  return peer?.startsWith('127.') ? { host, port, localAddress: peer } : { host, port }
}

function sendOver(protocol: 'h2c' | 'h3'): Send {
  return async (one, url, leave) => {
    const client = await connect(protocol, { port: Number((url as URL).port) })
    try {
      const { method, target } = one.request
      const headers = Object.entries(fields(one.request.headers)).flatMap(([name, values]) =>
        values.map((value): TestField => [name, value]),
      )
      const leaving = new AbortController()
      const signal = leaving.signal
      if (one.response.aborted === 'before-head') void leave.then(() => leaving.abort())
      const asked = client.request({ method, path: latin1(target), headers, signal })
      if (one.response.aborted === 'before-head') {
        return await asked.then(
          ({ status }) => status,
          () => undefined,
        )
      }
      const response = await asked
      if (one.response.aborted === undefined) {
        await response.bytes()
        return response.status
      }
      await leave
      response.abort()
      return undefined
    } finally {
      await client.close()
    }
  }
}

/** Returns the actual and the expected results of a case. Ignores durations. */
function outcomeOf(one: Case, served: Served, protocol: ProtocolText): { seen: Seen; expected: Seen } {
  const own = sink
    .records()
    .filter(({ fields: of }) => of?.['component'] !== '@fw/core')
    .map(shown)
  const { expectRequestLog = [], expectLine, expectText, expectJson, expectPattern, expectLevel } = one
  const entries = own.slice(expectRequestLog.length)
  const text = withoutDuration(entries[0]?.text ?? '')
  const seen: Seen = { requestLog: own.slice(0, expectRequestLog.length) }
  const expected: Seen = { requestLog: expectRequestLog }
  const compare = (what: string, actual: () => unknown, wanted: unknown): void => {
    if (wanted === undefined || wanted === null) return
    seen[what] = actual()
    expected[what] = wanted
  }
  const inProtocol = (wanted: string | null | undefined): string | undefined =>
    wanted ? withoutDuration(wanted.replaceAll(one.response.protocol, protocol)) : undefined
  const isSpecified = expectLine !== undefined || expectJson !== undefined || expectPattern !== undefined
  compare('entries', () => entries.length, isSpecified ? Number(expectLine !== null) : undefined)
  compare('level', () => entries[0]?.level, expectLevel)
  compare('line', () => text, inProtocol(expectLine))
  compare('text', () => text, inProtocol(expectText))
  compare('json', () => JSON.stringify(JSON.parse(text)), inProtocol(expectJson && JSON.stringify(expectJson)))
  const pattern = new RegExp(expectPattern ?? '', 'u')
  compare(
    'pattern',
    () => pattern.test((entries[0]?.text ?? '').replaceAll(protocol, 'HTTP/1.1')),
    expectPattern && true,
  )
  compare('requestLogger', () => (served.hasRequestLogger ? 'present' : 'absent'), one.expectRequestLogger)
  return { seen, expected }
}

function withoutDuration(text: string): string {
  return text
    .replace(/\d+\.\d\dms/, '#ms')
    .replace(/"duration_ns":\d+/, '"duration_ns":0')
    .replace(/ \d{5,}$/, ' #')
}
