import type { FieldList, RequestHeaders } from '@fw/types'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import { isToken } from '../engine/fields/field-rules.ts'
import { isHost } from '../engine/semantics/authority.ts'
import type { Limits } from '../options/limits.ts'
import { parsePriority, type Priority } from '../engine/fields/priority.ts'
import { ProtocolError } from '../engine/errors.ts'
import { ErrorCode, StreamError } from './errors.ts'
import type { FieldSection } from './hpack/field.ts'

/** What a valid request says before its body. */
export interface Http2RequestHead {
  readonly method: string
  /** `:path`; for CONNECT the authority. */
  readonly target: string
  readonly authority: string
  readonly headers: RequestHeaders
  /** Bytes announced, or `undefined`. */
  readonly contentLength: number | undefined
  readonly expectsContinue: boolean
  /** By the field of RFC 9218, `undefined` without. */
  readonly priority: Priority | undefined
}

export type Http2HeadLimits = Pick<Limits, 'maxRequestLineBytes' | 'maxFields'>

/** RFC 9113 §8.2.2: fields that belong to a connection of HTTP/1.1. */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])
/** Visible ASCII without `#`, as on HTTP/1.1. */
const PATH = /^(?:\/[\x21\x22\x24-\x7e]*|\*)$/
/** At most 15 digits, so the number is exact. */
const LENGTH = /^\d{1,15}$/
/** Of the request line that HTTP/1.1 would have: two spaces and the version. */
const REQUEST_LINE_REST_BYTES = ' '.length + ' HTTP/1.1'.length

/**
 * Checks a field section as the head of a request.
 *
 * @throws {StreamError} PROTOCOL_ERROR if the request is malformed
 * @throws {ProtocolError} 414 for a path that is too long, 431 for too many or too large fields, 400 for what HTTP/1.1
 *   would refuse too
 * @see RFC 9113 §8.1.1 (malformed), §8.2 (fields), §8.3.1 (pseudo-header fields), §8.5 (CONNECT)
 */
export function readRequestHead(section: FieldSection, limits: Http2HeadLimits): Http2RequestHead {
  const { fields } = section
  if (!section.isWellFormed) throw malformed('an invalid field')
  if (section.isTooLarge) throw new ProtocolError(431, 'Request head too large', 'stream')
  const pseudo = new PseudoFields()
  let at = 0
  for (; at < fields.length && isPseudo(fields[at] ?? ''); at += 2) pseudo.set(fields[at] ?? '', fields[at + 1] ?? '')
  const { method = '', path = '' } = pseudo
  if (method.length + path.length + REQUEST_LINE_REST_BYTES > limits.maxRequestLineBytes) {
    throw new ProtocolError(414, 'Request path too long', 'stream')
  }
  if ((fields.length - at) / 2 > limits.maxFields) throw new ProtocolError(431, 'Too many header fields', 'stream')

  let host: string | undefined
  let contentLength: number | undefined
  let expectsContinue = false
  let priority: string | undefined
  for (; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    const value = fields[at + 1] ?? ''
    checkName(name)
    if (name === 'host') {
      if (host !== undefined) throw malformed('host twice')
      host = value
    } else if (name === 'content-length') {
      if (contentLength !== undefined || !LENGTH.test(value)) throw malformed('no valid content-length')
      contentLength = Number(value)
    } else if (name === 'te' && value.toLowerCase() !== 'trailers') throw malformed('te with more than trailers')
    else if (name === 'expect' && value.toLowerCase() === '100-continue') expectsContinue = true
    // A list that came in several fields is one (RFC 9110 §5.3).
    else if (name === 'priority') priority = priority === undefined ? value : `${priority}, ${value}`
  }
  const { target, authority } = readTarget(pseudo, host)
  return {
    method,
    target,
    authority,
    headers: new FieldListHeaders(fields),
    contentLength,
    expectsContinue,
    priority: priority === undefined ? undefined : parsePriority(priority),
  }
}

/**
 * Checks a field section as the trailers of a request.
 *
 * @throws {StreamError} PROTOCOL_ERROR if the request is malformed
 * @throws {ProtocolError} 431 for too many or too large fields
 * @see RFC 9113 §8.1
 */
export function http2Trailers(
  { fields, listBytes, isTooLarge, isWellFormed }: FieldSection,
  { maxTrailerBytes, maxTrailerFields }: Pick<Limits, 'maxTrailerBytes' | 'maxTrailerFields'>,
): FieldList {
  if (!isWellFormed) throw malformed('an invalid field')
  for (let at = 0; at < fields.length; at += 2) checkName(fields[at] ?? '')
  if (isTooLarge || listBytes > maxTrailerBytes || fields.length / 2 > maxTrailerFields) {
    throw new ProtocolError(431, 'Trailers too large', 'stream')
  }
  return fields
}

/** Method and target of a request that is refused, as far as they are there. */
export function refusedRequestLine(fields: FieldList): { method: string | undefined; target: string | undefined } {
  const method = pseudoField(fields, ':method')
  return { method, target: pseudoField(fields, method === 'CONNECT' ? ':authority' : ':path') }
}

/** The pseudo-header fields of a request (RFC 9113 §8.3.1), each of them once. */
class PseudoFields {
  method: string | undefined = undefined
  scheme: string | undefined = undefined
  authority: string | undefined = undefined
  path: string | undefined = undefined

  set(name: string, value: string): void {
    switch (name) {
      case ':method':
        if (this.method !== undefined) throw malformed(':method twice')
        this.method = value
        return
      case ':scheme':
        if (this.scheme !== undefined) throw malformed(':scheme twice')
        this.scheme = value
        return
      case ':authority':
        if (this.authority !== undefined) throw malformed(':authority twice')
        this.authority = value
        return
      case ':path':
        if (this.path !== undefined) throw malformed(':path twice')
        this.path = value
        return
      default:
        throw malformed('an unknown pseudo-header field')
    }
  }
}

function readTarget(
  { method, scheme, authority, path }: PseudoFields,
  host: string | undefined,
): { target: string; authority: string } {
  if (method === undefined || !isToken(method)) throw malformed('no valid :method')
  const named = authority ?? host
  if (named === undefined || named === '') throw malformed('neither :authority nor host')
  if (!isHost(named)) throw refused('Invalid authority')
  // RFC 9113 §8.3.1: the two must name the same.
  if (authority !== undefined && host !== undefined && authority.toLowerCase() !== host.toLowerCase()) {
    throw refused('Host differs from the authority')
  }
  if (method === 'CONNECT') {
    if (scheme !== undefined || path !== undefined) throw malformed('CONNECT with :scheme or :path')
    if (authority === undefined) throw malformed('CONNECT without :authority')
    return { target: authority, authority }
  }
  if (scheme === undefined || scheme === '' || path === undefined) throw malformed('no :scheme or no :path')
  if (scheme !== 'http' && scheme !== 'https') throw refused('Unknown scheme')
  if (!path.startsWith('/') && (path !== '*' || method !== 'OPTIONS')) throw malformed('no valid :path')
  if (path.includes(' ')) throw malformed('no valid :path')
  if (!PATH.test(path)) throw refused('Invalid path')
  return { target: path, authority: named }
}

/** Of a field that is well-formed and none of the pseudo-header fields at the start of a head. */
function checkName(name: string): void {
  if (isPseudo(name)) throw malformed('a pseudo-header field out of place')
  if (CONNECTION_FIELDS.has(name)) throw malformed('a field that belongs to a connection')
}

function isPseudo(name: string): boolean {
  return name.charCodeAt(0) === 0x3a
}

function pseudoField(fields: FieldList, name: string): string | undefined {
  for (let i = 0; i < fields.length && isPseudo(fields[i] ?? ''); i += 2) {
    if (fields[i] === name) return fields[i + 1]
  }
  return undefined
}

function malformed(what: string): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, `Malformed request: ${what}`)
}

function refused(message: string): ProtocolError {
  return new ProtocolError(400, message, 'stream')
}
