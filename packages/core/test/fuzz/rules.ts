import { METHODS } from 'node:http'
import type { Understood } from './servers.ts'

/**
 * Why our engine refuses what llhttp, in its strict mode, takes: the reason it gives, and where the rule is from.
 * A refusal with another reason is a fault.
 */
// docs/decisions/0004
export const STRICTER: Readonly<Record<string, string>> = {
  'More than empty lines before the request':
    'RFC 9112 §2.2 asks to overlook one CRLF; we overlook two, and no bare LF',
  'Malformed request line': 'RFC 9112 §3: method, target and version, one space between them; llhttp takes HTTP/0.9',
  'Unsupported HTTP version': 'RFC 9112 §2.3: we speak 1.0 and 1.1, and refuse what calls itself otherwise',
  'Invalid request target': 'RFC 9112 §3.2: the four forms, in visible ASCII, without fragment or user information',
  'CONNECT needs a host and a port': 'RFC 9112 §3.2.3',
  'CONNECT with a body': 'RFC 9110 §9.3.6: has no meaning, and looks like tunnel data',
  'Host missing or invalid': 'RFC 9112 §3.2: exactly one, and a valid one',
  'Host given twice': 'RFC 9112 §3.2',
  'Unknown expectation': 'RFC 9110 §10.1.1: 417',
  'Content-Length with Transfer-Encoding': 'RFC 9112 §6.1: the classic of request smuggling',
  'Transfer-Encoding in HTTP/1.0': 'RFC 9112 §6.1: faulty framing',
  'Request body without a length': 'RFC 9112 §6.3 rule 4',
  'Unsupported transfer coding': 'RFC 9112 §6.1: 501',
  'Invalid Content-Length': 'RFC 9112 §6.3: one number, and one that is exact in a double (15 digits)',
  'Chunk size too large': '13 hexadecimal digits are exact in a double',
  'Malformed chunk extension': 'RFC 9112 §7.1.1: llhttp overlooks some of its grammar',
  'Chunk extension too long': 'maxChunkExtensionBytes, for one chunk; llhttp has a limit for all of a body',
  'Too many header fields': 'maxFields; Node.js drops those that are too many',
  'Malformed trailer field': 'RFC 9110 §6.5: trailer fields are fields',
}

const TAB_AFTER_CHUNKED = /\ntransfer-encoding:[^\r\n]*chunked[ \t]*\t/i

/**
 * Whether we may understand a request that Node's server does not.
 *
 * @param wire What it came in, one character a byte
 */
export function isWider(request: Understood, wire: string): boolean {
  // Without a listener for it, Node's server ends the connection at a CONNECT.
  if (request.method === 'CONNECT') return true
  // RFC 9110 §9.1: a method is any token; llhttp knows those on its list.
  if (!METHODS.includes(request.method)) return true
  // RFC 9110 §5.5: white space around a value is no part of it; llhttp refuses a tab after `chunked`.
  return request.headers.some(([name]) => name === 'transfer-encoding') && TAB_AFTER_CHUNKED.test(wire)
}

/** Whether Node's server may lose what follows a request in the same slice: it does after an `Upgrade` it declines. */
export function endsComparison(request: Understood): boolean {
  return request.headers.some(([name]) => name === 'upgrade')
}

/**
 * Whether a request ends its connection for us and not for llhttp, which lets `keep-alive` win over `close` on HTTP/1.0
 * (RFC 9112 §9.3: `close` does).
 */
export function endsConnection(request: Understood | undefined): boolean {
  const options = request?.headers.filter(([name]) => name === 'connection').map(([, value]) => value.toLowerCase())
  const listed = new Set(options?.join(',').split(/[\t ]*,[\t ]*/))
  return listed.has('close') && listed.has('keep-alive')
}

/**
 * Whether llhttp may take a request for one without a body: it does not see `chunked` before a tab, which is white space
 * around a value (RFC 9110 §5.5), and refuses such a request only where it offers no upgrade.
 *
 * @param wire One character a byte
 */
export function hidesABody(wire: string): boolean {
  return /\nupgrade:/i.test(wire) && TAB_AFTER_CHUNKED.test(wire)
}

/**
 * Whether llhttp may take the connection for ended where we go on: it obeys a `Connection` among the trailers, which
 * must not be there (RFC 9110 §6.5.1) and which we pass over.
 *
 * @param wire One character a byte
 */
export function hasConnectionTrailer(wire: string): boolean {
  return /\n0+[^\r\n]*\r\n(?:[^\r\n]+\r\n)*connection:/i.test(wire)
}
