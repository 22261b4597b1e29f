import type { FieldList } from '@fw/types'
import { isToken } from '../engine/fields.ts'
import { isHost } from '../engine/host.ts'
import type { Limits } from '../limits.ts'
import { ProtocolError } from '../engine/protocol-error.ts'

/** What the pseudo-header fields of a request say. */
export interface Http2RequestHead {
  readonly method: string
  readonly target: string
  readonly authority: string
}

export type Http2HeadLimits = Pick<Limits, 'maxRequestLineBytes' | 'maxHeadBytes' | 'maxFields'>

/** What a field costs besides its octets (RFC 9113 §6.5.2). */
export const FIELD_OVERHEAD_BYTES = 32
/** Visible ASCII without `#`, as on HTTP/1.1. */
const PATH = /^(?:\/[\x21\x22\x24-\x7e]*|\*)$/
/** Of the request line that HTTP/1.1 would have: two spaces and the version. */
const REQUEST_LINE_REST_BYTES = ' '.length + ' HTTP/1.1'.length

/** The last method and authority found to be one; most requests have the same again. */
let knownMethod = ''
let knownAuthority = ''

/**
 * Reads the request from its fields and refuses what nghttp2 lets through but HTTP/1.1 would not.
 *
 * @param fields As received, pseudo-header fields first; their presence and order were checked by nghttp2
 * @throws {ProtocolError} 400, 414 for a path that is too long or 431 for too many or too large fields, with scope
 *   `stream`
 * @see RFC 9113 §8.3.1
 */
export function http2RequestHead(fields: FieldList, limits: Http2HeadLimits): Http2RequestHead {
  let method = ''
  let scheme = ''
  let path = ''
  let authority: string | undefined
  let host: string | undefined
  let bytes = 0
  let pseudoFields = 0
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    const value = fields[i + 1] ?? ''
    bytes += name.length + value.length + FIELD_OVERHEAD_BYTES
    if (name.charCodeAt(0) === 0x3a) {
      pseudoFields++
      if (name === ':method') method = value
      else if (name === ':path') path = value
      else if (name === ':scheme') scheme = value
      else if (name === ':authority') authority = value
    } else if (name === 'host') host = value
  }
  if (method.length + path.length + REQUEST_LINE_REST_BYTES > limits.maxRequestLineBytes) {
    throw new ProtocolError(414, 'Request path too long', 'stream')
  }
  if (bytes > limits.maxHeadBytes) throw new ProtocolError(431, 'Request head too large', 'stream')
  if (fields.length / 2 - pseudoFields > limits.maxFields) {
    throw new ProtocolError(431, 'Too many header fields', 'stream')
  }
  if (!isMethod(method)) throw refused('Invalid method')
  const named = authority ?? host ?? ''
  if (named === '' || !isAuthority(named)) throw refused('Invalid authority')
  // RFC 9113 §8.3.1: the two must name the same.
  if (authority !== undefined && host !== undefined && authority.toLowerCase() !== host.toLowerCase()) {
    throw refused('Host differs from the authority')
  }
  if (method === 'CONNECT') return { method, target: named, authority: named }
  if (scheme !== 'http' && scheme !== 'https') throw refused('Unknown scheme')
  if (!PATH.test(path) || (path === '*' && method !== 'OPTIONS')) throw refused('Invalid path')
  return { method, target: path, authority: named }
}

/** Method and target of a request that is refused, as far as they are there. */
export function refusedRequestLine(fields: FieldList): { method: string | undefined; target: string | undefined } {
  const method = pseudoField(fields, ':method')
  return { method, target: pseudoField(fields, method === 'CONNECT' ? ':authority' : ':path') }
}

function pseudoField(fields: FieldList, name: string): string | undefined {
  for (let i = 0; i < fields.length && fields[i]?.startsWith(':'); i += 2) {
    if (fields[i] === name) return fields[i + 1]
  }
  return undefined
}

function isMethod(value: string): boolean {
  if (value === knownMethod) return value !== ''
  if (!isToken(value)) return false
  knownMethod = value
  return true
}

function isAuthority(value: string): boolean {
  if (value === knownAuthority) return true
  if (!isHost(value)) return false
  knownAuthority = value
  return true
}

function refused(message: string): ProtocolError {
  return new ProtocolError(400, message, 'stream')
}
