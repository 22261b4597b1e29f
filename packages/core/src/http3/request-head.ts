import type { FieldList } from '@fw/types'
import { isFieldValue, isToken } from '../engine/fields/field-rules.ts'
import { isHost } from '../engine/semantics/authority.ts'
import { ProtocolError } from '../engine/errors.ts'
import { ErrorCode, Http3Error } from './errors.ts'

/** What a valid request says before its body. */
export interface RequestHead {
  readonly method: string
  /** `:path`; for CONNECT the authority. */
  readonly target: string
  readonly authority: string
  /** Without pseudo-header fields; `cookie` once. */
  readonly fields: FieldList
  /** Bytes announced, or `undefined`. */
  readonly contentLength: number | undefined
  readonly expectsContinue: boolean
}

const PSEUDO_FIELDS: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path'])
/** RFC 9114 §4.2: fields that belong to a connection of HTTP/1.1. */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])
const UPPER_CASE = /[A-Z]/
/** Visible ASCII without `#`: RFC 3986 allows less, a space or a control would be another request elsewhere. */
const PATH = /^[!-"$-~]+$/
/** At most 15 digits, so the number is exact. */
const LENGTH = /^\d{1,15}$/

/**
 * Checks a decoded field section as the head of a request.
 *
 * @param maxTargetBytes Most bytes of `:path`
 * @throws {Http3Error} MESSAGE_ERROR, for the stream, if the request is malformed
 * @throws {ProtocolError} 414 if the target is too long, 421 if the scheme is not `https`
 * @see RFC 9114 §4.1.2 (malformed), §4.2 (fields), §4.3.1 (pseudo-header fields), §4.4 (CONNECT)
 */
export function readRequestHead(section: FieldList, maxTargetBytes: number): RequestHead {
  const pseudo = new Map<string, string>()
  let at = 0
  for (; at < section.length && section[at]?.startsWith(':'); at += 2) {
    const name = section[at] ?? ''
    if (!PSEUDO_FIELDS.has(name)) throw malformed('an unknown pseudo-header field')
    if (pseudo.has(name)) throw malformed('a repeated pseudo-header field')
    pseudo.set(name, section[at + 1] ?? '')
  }

  const fields: string[] = []
  let host: string | undefined
  let contentLength: number | undefined
  let cookieAt = -1
  let expectsContinue = false
  for (; at < section.length; at += 2) {
    const name = section[at] ?? ''
    const value = section[at + 1] ?? ''
    checkReceivedField(name, value)
    if (name === 'cookie' && cookieAt >= 0) {
      // §4.2.1: split for compression only; whoever reads it expects one.
      fields[cookieAt] = `${fields[cookieAt] ?? ''}; ${value}`
      continue
    }
    if (name === 'cookie') cookieAt = fields.length + 1
    else if (name === 'host') {
      if (host !== undefined) throw malformed('a repeated host')
      host = value
    } else if (name === 'content-length') contentLength = readLength(value, contentLength)
    else if (name === 'te' && value.toLowerCase() !== 'trailers') throw malformed('te with more than trailers')
    else if (name === 'expect' && value.toLowerCase() === '100-continue') expectsContinue = true
    fields.push(name, value)
  }
  return { ...readTarget(pseudo, host, maxTargetBytes), fields, contentLength, expectsContinue }
}

/**
 * Checks a decoded field section as the trailers of a request.
 *
 * @throws {Http3Error} MESSAGE_ERROR, for the stream
 * @see RFC 9114 §4.1, §4.3
 */
export function readTrailers(section: FieldList): FieldList {
  for (let at = 0; at < section.length; at += 2) checkReceivedField(section[at] ?? '', section[at + 1] ?? '')
  return section
}

function readTarget(
  pseudo: ReadonlyMap<string, string>,
  host: string | undefined,
  maxTargetBytes: number,
): Pick<RequestHead, 'method' | 'target' | 'authority'> {
  const method = pseudo.get(':method')
  if (method === undefined || !isToken(method)) throw malformed('no valid :method')
  const given = pseudo.get(':authority')
  if (given !== undefined && host !== undefined && given.toLowerCase() !== host.toLowerCase()) {
    throw malformed(':authority and host differ')
  }
  const authority = given ?? host
  // §4.3.1: https has a mandatory authority; `isHost` lets no user information through.
  if (authority === undefined || authority === '' || authority.startsWith(':') || !isHost(authority)) {
    throw malformed('no valid authority')
  }
  const scheme = pseudo.get(':scheme')
  const path = pseudo.get(':path')

  if (method === 'CONNECT') {
    if (scheme !== undefined || path !== undefined) throw malformed('CONNECT with :scheme or :path')
    if (given === undefined || !/:\d+$/.test(given)) throw malformed('CONNECT without host and port')
    return { method, target: given, authority }
  }
  if (scheme === undefined || path === undefined) throw malformed('no :scheme or no :path')
  if (path.length > maxTargetBytes) throw new ProtocolError(414, 'Target too long', 'stream')
  if (!PATH.test(path) || !(path.startsWith('/') || (path === '*' && method === 'OPTIONS'))) {
    throw malformed('no valid :path')
  }
  // RFC 9110 §7.4: over QUIC nothing but https can have been meant for us.
  if (scheme.toLowerCase() !== 'https') throw new ProtocolError(421, 'Scheme is not https', 'stream')
  return { method, target: path, authority }
}

function checkReceivedField(name: string, value: string): void {
  if (name.startsWith(':')) throw malformed('a pseudo-header field out of place')
  if (!isToken(name) || UPPER_CASE.test(name)) throw malformed('a field name that is no token in lower case')
  if (CONNECTION_FIELDS.has(name)) throw malformed('a field that belongs to a connection')
  if (!isFieldValue(value) || isSpace(value.charCodeAt(0)) || isSpace(value.charCodeAt(value.length - 1))) {
    throw malformed('an invalid field value')
  }
}

function readLength(value: string, before: number | undefined): number {
  const lengths = value.split(',').map((item) => item.trim())
  const first = lengths[0] ?? ''
  const length = LENGTH.test(first) ? Number(first) : NaN
  // RFC 9110 §8.6: a list of the same length is that length.
  if (Number.isNaN(length) || lengths.some((item) => item !== first) || (before !== undefined && before !== length)) {
    throw malformed('no valid content-length')
  }
  return length
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function malformed(what: string): Http3Error {
  return new Http3Error(ErrorCode.MESSAGE_ERROR, `Malformed request: ${what}`, 'stream')
}
