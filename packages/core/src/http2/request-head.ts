import type { FieldList } from '@fw/types'
import { isToken } from '../fields.ts'
import { isHost } from '../host.ts'
import type { Limits } from '../limits.ts'
import { ProtocolError } from '../protocol-error.ts'

/** What the pseudo-header fields of a request say. */
export interface Http2RequestHead {
  readonly method: string
  readonly target: string
  readonly authority: string
}

/** Visible ASCII without `#`, as on HTTP/1.1. */
const PATH = /^(?:\/[\x21\x22\x24-\x7e]*|\*)$/

/**
 * Reads the request from its fields and refuses what nghttp2 lets through but HTTP/1.1 would not.
 *
 * @param fields As received, pseudo-header fields first; their presence and order were checked by nghttp2
 * @throws {ProtocolError} 400, or 414 for a path that is too long, with scope `stream`
 * @see RFC 9113 §8.3.1
 */
export function http2RequestHead(fields: FieldList, limits: Pick<Limits, 'maxRequestLineBytes'>): Http2RequestHead {
  let method = ''
  let scheme = ''
  let path = ''
  let authority: string | undefined
  let host: string | undefined
  for (let i = 0; i < fields.length; i += 2) {
    const value = fields[i + 1] ?? ''
    switch (fields[i] ?? '') {
      case ':method':
        method = value
        break
      case ':scheme':
        scheme = value
        break
      case ':path':
        path = value
        break
      case ':authority':
        authority = value
        break
      case 'host':
        host = value
        break
    }
  }
  // As long as the request line that HTTP/1.1 would have.
  if (`${method} ${path} HTTP/1.1`.length > limits.maxRequestLineBytes) {
    throw new ProtocolError(414, 'Request path too long', 'stream')
  }
  if (!isToken(method)) throw refused('Invalid method')
  const named = authority ?? host ?? ''
  if (!isHost(named) || named === '') throw refused('Invalid authority')
  // RFC 9113 §8.3.1: the two must name the same.
  if (authority !== undefined && host !== undefined && authority.toLowerCase() !== host.toLowerCase()) {
    throw refused('Host differs from the authority')
  }
  if (method === 'CONNECT') return { method, target: named, authority: named }
  if (scheme !== 'http' && scheme !== 'https') throw refused('Unknown scheme')
  if (!PATH.test(path) || (path === '*' && method !== 'OPTIONS')) throw refused('Invalid path')
  return { method, target: path, authority: named }
}

function refused(message: string): ProtocolError {
  return new ProtocolError(400, message, 'stream')
}
