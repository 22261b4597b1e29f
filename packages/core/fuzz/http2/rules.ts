import { isTrailerAllowed } from '../../src/engine/semantics/trailers.ts'
import type { Understood } from './understood.ts'

/** Refusal that is permitted: its reason, the source of the rule, and the requests it applies to (default: all). */
export interface Rule {
  readonly reason: RegExp
  readonly source: string
  readonly isAbout?: (request: Understood) => boolean
}

/**
 * Reasons why the engine rejects requests that nghttp2 accepts with Node's settings. A rejection for any other
 * reason is an error.
 */
export const STRICTER: readonly Rule[] = [
  {
    reason: /^Malformed request: an invalid field$/,
    source: 'RFC 9113 §8.2.1: the request is malformed; nghttp2 drops the field',
  },
  {
    reason: /^Malformed request: Invalid method$/,
    source: 'RFC 9110 §9.1: a token; nghttp2 accepts any value',
  },
  {
    reason: /^Malformed request: Authority missing$/,
    source: 'RFC 9113 §8.3.1, RFC 9110 §7.2: a server needs the requested host',
  },
  { reason: /^Unknown scheme$/, source: 'Only http and https are served' },
  { reason: /^Invalid authority$/, source: 'RFC 3986 §3.2, as on HTTP/1.1' },
  { reason: /^Malformed request: Invalid request target$/, source: 'RFC 3986 §3.3, as on HTTP/1.1' },
  {
    reason: /^Malformed request: CONNECT with(?:out a host and a port| a body)$/,
    source: 'RFC 9113 §8.5, RFC 9110 §9.3.6',
  },
  { reason: /^HEADERS in a tunnel$/, source: 'RFC 9113 §8.5: only DATA and stream management frames' },
  { reason: /^Malformed request: Invalid :protocol$/, source: 'RFC 8441 §4: a token' },
  { reason: /^Unknown expectation$/, source: 'RFC 9110 §10.1.1: 417' },
  { reason: /^Malformed request: Host given twice$/, source: 'RFC 9110 §7.2: one host' },
  {
    reason: /^Malformed request: Host differs from the authority$/,
    source: 'RFC 9113 §8.3.1: the two must be equal',
  },
  { reason: /^(?:Trailers|Request head) too large$/, source: "The engine's limits are lower" },
  {
    reason: /^Malformed request: (?:content does not match Content-Length|Invalid Content-Length)/,
    source: 'RFC 9113 §8.1.1 has no exception for CONNECT',
    isAbout: ({ method }) => method === 'CONNECT',
  },
]

/** Reasons why the engine closes connections that nghttp2 keeps open. */
export const STRICTER_CONNECTION: readonly Rule[] = [
  {
    reason: /^A frame on stream \d+, which is closed$/,
    source: 'RFC 9113 §5.1: a connection error after END_STREAM; nghttp2 ignores the frame',
  },
  {
    reason: /^(?:A frame|RST_STREAM|WINDOW_UPDATE) on stream \d+, which was not opened$/,
    source: 'RFC 9113 §5.1.1: skipped stream IDs are closed streams',
  },
  {
    reason: /^PRIORITY (?:on stream 0|of \d+ bytes)$/,
    source: 'RFC 9113 §6.3; nghttp2 ignores the frame',
  },
  {
    reason: /^PRIORITY_UPDATE (?:on stream|of|for)|^NO_RFC7540_PRIORITIES is/,
    source: 'RFC 9218 §2.1, §7.1; Node.js does not enable the frame in nghttp2',
  },
  {
    reason: /^Cannot decode a field block: more than two table size updates$/,
    source: 'RFC 7541 §4.2: the smallest and the last',
  },
  {
    reason: /^Padding as long as its frame$/,
    source: 'RFC 9113 §6.1; nghttp2 does not check frames of streams that it has reset',
  },
]

/** Error codes (RFC 9113 §7) that nghttp2 sends when it closes a connection. */
const PROTOCOL_ERROR = 1
const INTERNAL_ERROR = 2
const FLOW_CONTROL_ERROR = 3

/**
 * Reports whether Node.js gave up: for some stream errors in nghttp2, it closes the connection with INTERNAL_ERROR. The
 * results of the other streams are then unknown.
 */
export function isGivenUp(connectionError: number | undefined): boolean {
  return connectionError === INTERNAL_ERROR
}

/** Client behavior for which nghttp2 closes the connection, but the engine can keep it open. */
export interface Oddities {
  /** The last frame is truncated. */
  readonly isCutOff: boolean
  /** The window of a closed stream exceeds 2^31-1. */
  readonly isWideAfterEnd: boolean
  /** The client acknowledged SETTINGS twice. */
  readonly isAcknowledgedTwice: boolean
  /** The client sent GOAWAY. */
  readonly isLeftByClient: boolean
}

/** Reports whether the rules permit the engine to keep a connection that nghttp2 closes. */
export function isTolerated(connectionError: number | undefined, seen: Oddities): boolean {
  // nghttp2 refuses most frames by their first bytes; the engine waits for the whole frame unless it is too long.
  if (seen.isCutOff) return true
  // RFC 9113 §6.5.3 does not forbid it.
  if (connectionError === PROTOCOL_ERROR && seen.isAcknowledgedTwice) return true
  // The engine answers GOAWAY with GOAWAY, and ignores frames on later streams (RFC 9113 §6.8).
  if (connectionError === PROTOCOL_ERROR && seen.isLeftByClient) return true
  // RFC 9113 §5.1: WINDOW_UPDATE can arrive for closed streams. The engine closes streams earlier than nghttp2.
  return connectionError === FLOW_CONTROL_ERROR && seen.isWideAfterEnd
}

/** Returns a request as handlers see it: without fields that are not permitted in trailers (RFC 9110 §6.5.1). */
export function withoutForbiddenTrailers(request: Understood): Understood {
  return { ...request, trailers: request.trailers.filter(([name]) => isTrailerAllowed(name)) }
}

/**
 * Reports whether the rules permit the engine to accept a request that nghttp2 refuses.
 *
 * @param trailers Names of its trailer fields
 */
export function isWider(trailers: ReadonlySet<string> | undefined): boolean {
  // nghttp2 applies the rules for heads to trailers. The engine discards these fields, so they have no effect.
  return ['host', 'te', 'content-length'].some((name) => trailers?.has(name) === true)
}
