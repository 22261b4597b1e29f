import type { FieldList } from '@fw/types'
import { httpDate } from '../engine/fields/http-date.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { statusPhrase } from '../engine/semantics/status-phrase.ts'

/** How the receiver finds the end of a response (RFC 9112 §6.3). */
export type ResponseFraming =
  /** No body follows, and no length is announced. */
  | 'none'
  /** `content-length` bytes follow; none to HEAD and with 304. */
  | 'length'
  | 'chunked'
  /** The body ends with the connection; all that HTTP/1.0 offers for an unknown length. */
  | 'close'

/** What the head says about the connection. */
export interface ConnectionFields {
  /** Whether the connection goes on after this response. */
  readonly keepAlive: boolean
  /** Whole seconds an idle connection is kept, as advertised; 0 says nothing. */
  readonly keepAliveSeconds: number
  /** Value of `alt-svc`, or empty. */
  readonly altSvc: string
}

/** How the body of a response is delimited. */
export function responseFraming(minor: 0 | 1, head: ResponseHead): ResponseFraming {
  if (head.contentLength !== undefined) return 'length'
  if (!head.allowsBody) return 'none'
  return minor === 1 ? 'chunked' : 'close'
}

/**
 * The head of a response, one character a byte (latin1).
 *
 * The version is always 1.1, the highest this server has, whatever the request's (RFC 9110 §2.5).
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
  return text + connectionLines(connection)
}

/** The end of a head. */
function connectionLines({ keepAlive, keepAliveSeconds }: ConnectionFields): string {
  if (!keepAlive) return 'connection: close\r\n\r\n'
  if (keepAliveSeconds === 0) return 'connection: keep-alive\r\n\r\n'
  if (keepAliveSeconds !== lastKeepAliveSeconds) {
    lastKeepAliveSeconds = keepAliveSeconds
    lastKeepAliveLines = `connection: keep-alive\r\nkeep-alive: timeout=${keepAliveSeconds}\r\n\r\n`
  }
  return lastKeepAliveLines
}

/** All connections of a server say the same. */
let lastKeepAliveSeconds = 0
let lastKeepAliveLines = ''

/** The whole response to a request that was refused. The connection ends with it. */
export function encodeRefusal(status: number): string {
  const head = { fields: [], contentLength: 0, allowsBody: true, close: true, hasDate: false }
  return encodeHead(status, head, 'length', { keepAlive: false, keepAliveSeconds: 0, altSvc: '' })
}

/** The head of an informational response. */
export function encodeInformational(status: number, fields: FieldList): string {
  let text = statusLine(status)
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`
  return `${text}\r\n`
}

/** What stands before the bytes of one chunk; CRLF follows them. */
export function chunkHead(length: number): string {
  return `${length.toString(16)}\r\n`
}

/** The last chunk and the trailer section. */
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
