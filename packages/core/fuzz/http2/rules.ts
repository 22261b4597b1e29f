import { isTrailerAllowed } from '../../src/engine/semantics/trailers.ts'
import type { Understood } from './understood.ts'

/** What our engine may refuse: the reason it gives, where the rule is from, and which requests it is about, if not all. */
export interface Rule {
  readonly reason: RegExp
  readonly source: string
  readonly isAbout?: (request: Understood) => boolean
}

/** Why we refuse requests that nghttp2, as Node.js sets it up, takes. A refusal for another reason is a fault. */
export const STRICTER: readonly Rule[] = [
  {
    reason: /^Malformed request: an invalid field$/,
    source: 'RFC 9113 §8.2.1: the request is malformed; nghttp2 leaves the field out',
  },
  {
    reason: /^Malformed request: Invalid method$/,
    source: 'RFC 9110 §9.1: a token; nghttp2 takes any value',
  },
  {
    reason: /^Malformed request: Authority missing$/,
    source: 'RFC 9113 §8.3.1, RFC 9110 §7.2: a server must know which host is meant',
  },
  { reason: /^Unknown scheme$/, source: 'We serve http and https only' },
  { reason: /^Invalid authority$/, source: 'RFC 3986 §3.2, as on HTTP/1.1' },
  { reason: /^Malformed request: Invalid request target$/, source: 'RFC 3986 §3.3, as on HTTP/1.1' },
  {
    reason: /^Malformed request: CONNECT with(?:out a host and a port| a body)$/,
    source: 'RFC 9113 §8.5, RFC 9110 §9.3.6',
  },
  { reason: /^Unknown expectation$/, source: 'RFC 9110 §10.1.1: 417' },
  { reason: /^Malformed request: Host given twice$/, source: 'RFC 9110 §7.2: one host' },
  {
    reason: /^Malformed request: Host differs from the authority$/,
    source: 'RFC 9113 §8.3.1: the two must name the same',
  },
  { reason: /^(?:Trailers|Request head) too large$/, source: 'Our limits are lower' },
  {
    reason: /^Malformed request: (?:content does not match Content-Length|Invalid Content-Length)/,
    source: 'RFC 9113 §8.1.1 knows no exception for CONNECT',
    isAbout: ({ method }) => method === 'CONNECT',
  },
]

/** Why we end connections that nghttp2 goes on with. */
export const STRICTER_CONNECTION: readonly Rule[] = [
  {
    reason: /^A frame on stream \d+, which is closed$/,
    source: 'RFC 9113 §5.1: an error of the connection once END_STREAM was sent; nghttp2 passes over it',
  },
  {
    reason: /^(?:A frame|RST_STREAM|WINDOW_UPDATE) on stream \d+, which was not opened$/,
    source: 'RFC 9113 §5.1.1: the numbers that a client left out are not those of streams',
  },
  {
    reason: /^PRIORITY (?:on stream 0|of \d+ bytes)$/,
    source: 'RFC 9113 §6.3; nghttp2 passes over the frame, whatever it is',
  },
  {
    reason: /^PRIORITY_UPDATE (?:on stream|of|for)|^NO_RFC7540_PRIORITIES is/,
    source: 'RFC 9218 §2.1, §7.1; Node.js does not have nghttp2 read the frame',
  },
  {
    reason: /^Cannot decode a field block: more than two table size updates$/,
    source: 'RFC 7541 §4.2: the smallest and the last',
  },
  {
    reason: /^Padding as long as its frame$/,
    source: 'RFC 9113 §6.1; nghttp2 does not look into frames of streams that it has reset',
  },
]

/** Codes of RFC 9113 §7 that nghttp2 ends connections with. */
const PROTOCOL_ERROR = 1
const INTERNAL_ERROR = 2
const FLOW_CONTROL_ERROR = 3

/**
 * Where nghttp2 would end a stream, Node.js ends the connection, with INTERNAL_ERROR. What it would have made of the other
 * streams is not known.
 */
export function isGivenUp(connectionError: number | undefined): boolean {
  return connectionError === INTERNAL_ERROR
}

/** What a client did, for which nghttp2 ends its connection and we need not. */
export interface Oddities {
  /** The last frame has not arrived to its end. */
  readonly isCutOff: boolean
  /** A window of more than 2^31-1 of a stream that has ended. */
  readonly isWideAfterEnd: boolean
  /** SETTINGS were acknowledged twice. */
  readonly isAcknowledgedTwice: boolean
  /** GOAWAY of the client. */
  readonly isLeftByClient: boolean
}

/** Whether we may go on with a connection that nghttp2 ends. */
export function isTolerated(connectionError: number | undefined, seen: Oddities): boolean {
  // nghttp2 refuses most frames by their first bytes, we when they have arrived, if they are not above all lengths.
  if (seen.isCutOff) return true
  // RFC 9113 §6.5.3 does not forbid it.
  if (connectionError === PROTOCOL_ERROR && seen.isAcknowledgedTwice) return true
  // We answer GOAWAY by GOAWAY, and pass over what belongs to streams behind the last one (RFC 9113 §6.8).
  if (connectionError === PROTOCOL_ERROR && seen.isLeftByClient) return true
  // RFC 9113 §5.1: WINDOW_UPDATE may come for streams that have ended, as ours have earlier than those of nghttp2.
  return connectionError === FLOW_CONTROL_ERROR && seen.isWideAfterEnd
}

/** Returns a request as our handlers see it: without the fields that must not be trailers (RFC 9110 §6.5.1). */
export function withoutForbiddenTrailers(request: Understood): Understood {
  return { ...request, trailers: request.trailers.filter(([name]) => isTrailerAllowed(name)) }
}

/** Whether we may take a request that nghttp2 refuses. @param trailers Names of its trailer fields */
export function isWider(trailers: ReadonlySet<string> | undefined): boolean {
  // nghttp2 holds trailers to the rules for heads. We discard these fields, so they have no meaning.
  return ['host', 'te', 'content-length'].some((name) => trailers?.has(name) === true)
}
