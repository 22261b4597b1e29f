import type { Exchange } from '@fw/types'
import { rawExchange, type TestField } from '@fw/testing'
import { decodeFields, encodeFields, H3Frame, h3Frame, readVarint } from '@fw/testing/h3'
import { vi } from 'vitest'
import type { Limits } from '../../src/options/limits.ts'
import { data } from '../http2/frames.ts'
import { block, headers as headersFrame } from '../http2/hpack.ts'
import { RawClient } from '../http2/raw-client.ts'
import { serveEngines } from '../serve-engines.ts'
import { bodyOf, serveHttp3 } from '../serve-http3.ts'

/** A request that any protocol can send. With `scheme` or `host`, HTTP/1.1 sends an absolute target. */
export interface VerdictRequest {
  readonly method?: string
  /** Protocol of a tunnel: `Upgrade` on HTTP/1.1, otherwise `:protocol` of an extended CONNECT. Replaces the method. */
  readonly tunnel?: string
  readonly scheme?: string
  /** Host and port of the target; `undefined` for a target without them. Default: `example.com`. */
  readonly authority?: string | undefined
  /** A `Host` field in addition to the target's authority. */
  readonly host?: string
  readonly path?: string
  readonly fields?: readonly TestField[]
  readonly body?: string
  readonly trailers?: readonly TestField[]
}

/** The result that a client receives. */
export interface Result {
  /** Status code; 400 if the server reset the stream with the error code for a malformed request. */
  readonly status: number
  /** Whether the server ended the connection or the stream. */
  readonly ends?: 'connection' | 'stream'
  /** The request that the handler received. */
  readonly seen?: Seen
}

export interface Seen {
  readonly authority: string
  readonly host: string | null
  readonly body: string
  readonly trailers: readonly string[]
}

export type Send = (request: VerdictRequest, limits: Partial<Limits>) => Promise<Result>

const WAIT = { timeout: 30_000, interval: 5 }
const AUTHORITY = 'example.com'

/** Sends a request over each protocol to a server without an application. */
export const SEND: Readonly<Record<'HTTP/1.1' | 'HTTP/2' | 'HTTP/3', Send>> = {
  'HTTP/1.1': async (request, limits) => {
    const { port } = await serveEngines(report, limits)
    const { text, ended } = await rawExchange(port, http1Bytes(request), {
      timeoutMs: 30_000,
      until: (received) => /^HTTP\/1.1 200[^]*\r\n\r\n/.test(received),
    })
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
    if (status === 200) return { status, seen: seenIn(/^x-seen: (.*)\r$/im.exec(text)?.[1]) }
    return { status, ...(ended === 'fin' ? { ends: 'connection' } : {}) }
  },
  'HTTP/2': async (request, limits) => {
    const { port } = await serveEngines(report, limits, undefined, true)
    const client = await RawClient.connect(port)
    const { body, trailers } = request
    const hasEnd = body === undefined && trailers === undefined
    client.send(headersFrame(1, block(...pseudoFields(request, 'http'), ...(request.fields ?? [])), hasEnd ? 1 : 0))
    if (!hasEnd) client.send(data(1, body ?? '', trailers === undefined ? 1 : 0))
    if (trailers !== undefined) client.send(headersFrame(1, block(...trailers)))
    await vi.waitUntil(() => client.hasEnded(1) || client.reset(1) !== undefined || client.goaway !== undefined, WAIT)
    if (client.reset(1) === 'PROTOCOL_ERROR') return { status: 400, ends: 'stream' }
    return resultOf(client.sections(1).at(0) ?? [])
  },
  'HTTP/3': async (request, limits) => {
    await using server = await serveHttp3(report, limits, true)
    const stream = await (await server.connect()).connection.openStream()
    const { body, trailers } = request
    const frames = [
      h3Frame(H3Frame.HEADERS, encodeFields([...pseudoFields(request, 'https'), ...(request.fields ?? [])])),
    ]
    if (body !== undefined) frames.push(h3Frame(H3Frame.DATA, body))
    if (trailers !== undefined) frames.push(h3Frame(H3Frame.HEADERS, encodeFields(trailers)))
    await stream.send(Buffer.concat(frames), { end: true })
    const response = await stream.readAll().catch((error: Error) => error)
    if (response instanceof Error) {
      if (response.message.includes('code 0x10e')) return { status: 400, ends: 'stream' }
      throw response
    }
    return resultOf(decodeFields(firstPayload(response)))
  },
}

function report(exchange: Exchange): void {
  bodyOf(exchange).then(
    ({ body, trailers }) => {
      const { authority, headers } = exchange
      const seen: Seen = { authority, host: headers.get('host'), body: body.toString('latin1'), trailers }
      exchange.respond(200, ['x-seen', JSON.stringify(seen)], null)
    },
    () => {},
  )
}

function http1Bytes(request: VerdictRequest): string {
  const { method = 'GET', path = '/', scheme, host, fields = [], body = '', trailers } = request
  const authority = 'authority' in request ? request.authority : AUTHORITY
  const isAbsolute = scheme !== undefined || host !== undefined
  const origin = isAbsolute ? `${scheme ?? 'http'}://${authority ?? ''}${path}` : path
  const target = method === 'CONNECT' ? (authority ?? '') : origin
  const lines = [`${method} ${target} HTTP/1.1`]
  const named = host ?? authority
  if (named !== undefined) lines.push(`Host: ${named}`)
  lines.push(...fields.map(([name, value]) => `${name}: ${value}`))
  if (request.tunnel !== undefined) lines.push('Connection: upgrade', `Upgrade: ${request.tunnel}`)
  if (trailers === undefined) return `${lines.join('\r\n')}\r\n\r\n${body}`
  lines.push('Transfer-Encoding: chunked', '', body.length.toString(16), body, '0')
  lines.push(...trailers.map(([name, value]) => `${name}: ${value}`))
  return `${lines.join('\r\n')}\r\n\r\n`
}

function pseudoFields(request: VerdictRequest, defaultScheme: string): TestField[] {
  const { tunnel, path = '/', scheme = defaultScheme, host } = request
  const method = tunnel === undefined ? (request.method ?? 'GET') : 'CONNECT'
  const authority = 'authority' in request ? request.authority : AUTHORITY
  const fields: TestField[] = [[':method', method]]
  if (tunnel !== undefined) fields.push([':protocol', tunnel])
  if (method !== 'CONNECT' || tunnel !== undefined) fields.push([':scheme', scheme], [':path', path])
  if (authority !== undefined) fields.push([':authority', authority])
  if (host !== undefined) fields.push(['host', host])
  return fields
}

function resultOf(fields: readonly TestField[]): Result {
  const status = Number(fields.find(([name]) => name === ':status')?.[1])
  return status === 200 ? { status, seen: seenIn(fields.find(([name]) => name === 'x-seen')?.[1]) } : { status }
}

function seenIn(field: string | undefined): Seen {
  return JSON.parse(field ?? '') as Seen
}

/** Returns the payload of the first frame of a response, which contains the head. */
function firstPayload(bytes: Buffer): Buffer {
  const length = readVarint(bytes, readVarint(bytes, 0)?.end ?? 0)
  const start = length?.end ?? 0
  return bytes.subarray(start, start + (length?.value ?? 0))
}
