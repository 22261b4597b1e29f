import type { FieldList } from '@fw/types'
import { httpDate } from '../engine/fields/http-date.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { statusPhrase } from '../engine/semantics/status-phrase.ts'

const UPGRADE_REQUIRED = 426

/** How a response body is delimited (RFC 9112 §6.3). */
export type ResponseFraming =
  /** The response has no body and no `content-length`. */
  | 'none'
  /** The response has a `content-length`. No body follows in a response to HEAD or with status 304. */
  | 'length'
  | 'chunked'
  /** The body ends when the connection closes. HTTP/1.0 has no other way to delimit a body of unknown length. */
  | 'close'

/** Response fields that concern the connection. */
export interface ConnectionFields {
  /** Whether the connection stays open after this response. */
  readonly keepAlive: boolean
  /** Advertised idle time in whole seconds; 0 to omit `keep-alive`. */
  readonly keepAliveSeconds: number
  /** Value of `alt-svc`; empty to omit the field. */
  readonly altSvc: string
}

/** Determines how a response body is delimited. */
export function responseFraming(minor: 0 | 1, head: ResponseHead): ResponseFraming {
  if (head.contentLength !== undefined) return 'length'
  if (!head.allowsBody) return 'none'
  return minor === 1 ? 'chunked' : 'close'
}

/**
 * Returns a response head as Latin-1 text.
 *
 * The version is always HTTP/1.1, the highest HTTP/1.x version that the server supports, even if the client sent
 * HTTP/1.0 (RFC 9110 §2.5).
 */
export function encodeHead(
  status: number,
  head: ResponseHead,
  framing: ResponseFraming,
  connection: ConnectionFields,
): string {
  let text = statusLine(status)
  const { fields } = head
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`
  if (!head.hasDate) text += `date: ${httpDate()}\r\n`
  if (connection.altSvc !== '') text += `alt-svc: ${connection.altSvc}\r\n`
  if (framing === 'length') text += `content-length: ${head.contentLength}\r\n`
  else if (framing === 'chunked') text += 'transfer-encoding: chunked\r\n'
  if (status !== UPGRADE_REQUIRED || head.upgrade === undefined) return text + connectionLines(connection)
  // RFC 9110 §15.5.22 requires `upgrade` in this response, and §7.8 the connection option for it.
  const lines = connectionLines(connection).replace('connection: ', 'connection: upgrade, ')
  return `${text}upgrade: ${head.upgrade}\r\n${lines}`
}

/** Returns the last lines of a head. */
function connectionLines({ keepAlive, keepAliveSeconds }: ConnectionFields): string {
  if (!keepAlive) return 'connection: close\r\n\r\n'
  if (keepAliveSeconds === 0) return 'connection: keep-alive\r\n\r\n'
  if (keepAliveSeconds !== lastKeepAliveSeconds) {
    lastKeepAliveSeconds = keepAliveSeconds
    lastKeepAliveLines = `connection: keep-alive\r\nkeep-alive: timeout=${keepAliveSeconds}\r\n\r\n`
  }
  return lastKeepAliveLines
}

// Caches the last result, because all of a server's connections use the same time.
let lastKeepAliveSeconds = 0
let lastKeepAliveLines = ''

/** Returns the complete response to a rejected request, with `connection: close`. */
export function encodeRefusal(status: number): string {
  const head = { fields: [], contentLength: 0, allowsBody: true, close: true, hasDate: false }
  return encodeHead(status, head, 'length', { keepAlive: false, keepAliveSeconds: 0, altSvc: '' })
}

/** Returns an informational response head. */
export function encodeInformational(status: number, fields: FieldList): string {
  let text = statusLine(status)
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`
  return `${text}\r\n`
}

/** Returns the size line of a chunk. CRLF must follow the chunk data. */
export function chunkHead(length: number): string {
  return `${length.toString(16)}\r\n`
}

/** Returns the last chunk and the trailer section. */
export function chunkedEnd(trailers: FieldList): string {
  let text = '0\r\n'
  for (let i = 0; i < trailers.length; i += 2) text += `${trailers[i]}: ${trailers[i + 1]}\r\n`
  return `${text}\r\n`
}

const statusLines = new Map<number, string>()

function statusLine(status: number): string {
  let line = statusLines.get(status)
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${statusPhrase(status)}\r\n`
    statusLines.set(status, line)
  }
  return line
}
