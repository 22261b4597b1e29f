import { METHODS } from 'node:http'
import type { Understood } from './servers.ts'

/**
 * Reasons why the engine rejects requests that strict llhttp accepts, and the source of each rule. A rejection
 * for any other reason is an error.
 */
// docs/decisions/0004
export const STRICTER: Readonly<Record<string, string>> = {
  'Too many or malformed empty lines before the request':
    'RFC 9112 §2.2 asks to ignore one CRLF; the engine ignores two, but no bare LF',
  'Malformed request line':
    'RFC 9112 §3: method, target and version, separated by single spaces; llhttp accepts HTTP/0.9',
  'Unsupported HTTP version': 'RFC 9112 §2.3: only HTTP/1.0 and HTTP/1.1 are supported',
  'Invalid request target': 'RFC 9112 §3.2: the four forms, in visible ASCII, without fragment or user information',
  'CONNECT without a host and a port': 'RFC 9112 §3.2.3',
  'Unknown scheme': 'RFC 9112 §3.2.2: only http and https are served',
  'Invalid method': 'RFC 9110 §9.1: a token',
  'CONNECT with a body': 'RFC 9110 §9.3.6: the body has no meaning, and looks like tunnel data',
  'Host missing': 'RFC 9112 §3.2: exactly one valid Host field',
  'Authority missing': 'RFC 9110 §4.2.1: a URI with an empty host is invalid',
  'Invalid authority': 'RFC 9112 §3.2: a Host field must have a valid value',
  'Host given twice': 'RFC 9112 §3.2',
  'Unknown expectation': 'RFC 9110 §10.1.1: 417',
  'Content-Length with Transfer-Encoding': 'RFC 9112 §6.1: the typical request-smuggling attack',
  'Transfer-Encoding in HTTP/1.0': 'RFC 9112 §6.1: invalid framing',
  'Request body without a length': 'RFC 9112 §6.3 rule 4',
  'Unsupported transfer coding': 'RFC 9112 §6.1: 501',
  'Invalid Content-Length': 'RFC 9112 §6.3: one number of at most 2^53 - 1',
  'Chunk size too large': 'more than 2^53 - 1 bytes',
  'Malformed chunk extension': 'RFC 9112 §7.1.1: llhttp does not check the whole grammar',
  'Chunk extension too long': "maxChunkExtensionBytes, per chunk; llhttp's limit is per body",
  'Too many header fields': 'maxFields; Node.js drops excess fields',
  'Malformed trailer field': 'RFC 9110 §6.5: trailer fields are fields',
}

const TAB_AFTER_CHUNKED = /\ntransfer-encoding:[^\r\n]*chunked[ \t]*\t/i

/**
 * Reports whether the rules permit the engine to accept a request that Node's server refuses.
 *
 * @param wire Bytes of the request, one character each
 */
export function isWider(request: Understood, wire: string): boolean {
  // Node's server closes the connection on CONNECT if it has no listener for it.
  if (request.method === 'CONNECT') return true
  // RFC 9110 §9.1: a method is any token; llhttp accepts only a list.
  if (!METHODS.includes(request.method)) return true
  // RFC 9110 §5.5: whitespace around a value is not part of it; llhttp refuses a tab after `chunked`.
  return request.headers.some(([name]) => name === 'transfer-encoding') && TAB_AFTER_CHUNKED.test(wire)
}

/**
 * Returns a request as handlers see it: the authority of an absolute target, or of CONNECT, replaces `Host` (RFC 9112
 * §3.2.2). llhttp leaves that to the application.
 */
export function withTargetHost(request: Understood | undefined): Understood | undefined {
  const target = request?.target ?? ''
  const authority = request?.method === 'CONNECT' ? target : /^https?:\/\/([^/?]+)/i.exec(target)?.[1]
  if (request === undefined || authority === undefined) return request
  const headers = request.headers.map(([name, value]): [string, string] => [name, name === 'host' ? authority : value])
  return { ...request, headers }
}

/**
 * Reports whether Node's server can lose the bytes after a request in the same slice. This happens after an `Upgrade`
 * that the server declines.
 */
export function endsComparison(request: Understood): boolean {
  return request.headers.some(([name]) => name === 'upgrade')
}

/**
 * Reports whether only the engine closes the connection after a request. On HTTP/1.0, llhttp prefers `keep-alive` to
 * `close`; RFC 9112 §9.3 requires the opposite.
 */
export function endsConnection(request: Understood | undefined): boolean {
  const options = request?.headers.filter(([name]) => name === 'connection').map(([, value]) => value.toLowerCase())
  const listed = new Set(options?.join(',').split(/[\t ]*,[\t ]*/))
  return listed.has('close') && listed.has('keep-alive')
}

/**
 * Reports whether llhttp can treat a request as one without a body. llhttp does not detect `chunked` before a tab,
 * which is whitespace around a value (RFC 9110 §5.5). It refuses such a request only without an `Upgrade`.
 *
 * @param wire Bytes of the request, one character each
 */
export function hidesABody(wire: string): boolean {
  return /\nupgrade:/i.test(wire) && TAB_AFTER_CHUNKED.test(wire)
}

/**
 * Reports whether llhttp can close a connection that the engine keeps. llhttp honors a `Connection` trailer field,
 * which RFC 9110 §6.5.1 forbids and the engine ignores.
 *
 * @param wire Bytes of the request, one character each
 */
export function hasConnectionTrailer(wire: string): boolean {
  return /\n0+[^\r\n]*\r\n(?:[^\r\n]+\r\n)*connection:/i.test(wire)
}
