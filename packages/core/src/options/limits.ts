import { getHeapStatistics } from 'node:v8'
import { integer, type OptionKinds } from '@fw/options'
import { MAX_TIMER_MS } from './timer.ts'

/**
 * What one client may cost. Every limit has a default here and can be set in `new Server({ limits })`; the unit is in
 * the name, 0 switches a time limit off.
 */
export interface Limits {
  /** Request line, fields and the empty line together, in bytes; above it 431. Node's own default, and enough for large cookies. As much of pipelined requests waits for the one that is at work; then the client is made to wait. */
  readonly maxHeadBytes: number
  /** Request line in bytes; above it 414. RFC 9112 §3 asks for at least 8,000. HTTP/2 and HTTP/3 count the request line that HTTP/1.1 would have. */
  readonly maxRequestLineBytes: number
  /** Header fields of one request, without pseudo-header fields; above it 431. Fields are never silently dropped, as that could drop a security field. */
  readonly maxFields: number
  /** Trailer section in bytes; above it 431. Few applications use trailers at all. */
  readonly maxTrailerBytes: number
  /** Trailer fields, including those that are discarded; above it 431. */
  readonly maxTrailerFields: number
  /** Extensions of one chunk in bytes, with the leading zeros of its size beyond 16 digits; above it 400. Only attackers send them (CVE-2024-22019). */
  readonly maxChunkExtensionBytes: number
  /** Chunk extensions of one body in bytes; above it 413. */
  readonly maxChunkExtensionsTotalBytes: number
  /** Request body in bytes; above it 413. Routes that take uploads raise it. */
  readonly maxBodyBytes: number
  /** Fields of a form (`application/x-www-form-urlencoded`); above it 413. Forms of people have dozens; a million in a body take Node.js ten seconds to tell apart. */
  readonly maxFormFields: number
  /** Received bytes that may wait for a handler which does not read, for one request; then the client is made to wait. */
  readonly maxBufferedBodyBytes: number
  /**
   * Bytes that one connection can make the server hold: responses that the client does not read, and what it has sent
   * that no handler has read. Above it, the next requests of the connection wait until it drains. The largest response does
   * not count, so that one that is not read does not hold up the others. 4 MiB fill a fast line, and a thousand clients that do
   * not read stay below 4 GiB. 0 for no limit.
   */
  readonly maxBufferedBytesPerConnection: number
  /**
   * The same of all connections of the process, those of other servers too. Above it, requests get 503 with `Retry-After`,
   * and connections whose clients take too little are closed, the largest first. Connections above their own limit can use
   * a quarter of it. By default a quarter of what the process can use: of V8's heap limit, or of the container's memory if that
   * is less. The rest is for handlers. 0 for no limit.
   */
  readonly maxBufferedBytes: number
  /** From a new connection to the end of its TLS handshake, for QUIC too; a few round trips even on a bad line. Closed without a response. */
  readonly tlsHandshakeTimeoutMs: number
  /** From a new connection to its first byte; idle connections are cheap to open. Closed without a response. */
  readonly firstByteTimeoutMs: number
  /** From the first byte of a head to its end, in all, so that dripping it does not help; then 408. */
  readonly headTimeoutMs: number
  /** Without a byte of a body that is being waited for; then 408. */
  readonly bodyStallTimeoutMs: number
  /** Least bytes a second of a body, on the whole, as long as it is read; then 408. 0 for no limit: links may be slow. 256 stops those who drip. */
  readonly minBodyBytesPerSecond: number
  /** Time before the rate of a body is judged. */
  readonly bodyRateGraceMs: number
  /** From the start of a head to the end of the body; then 408. */
  readonly requestTimeoutMs: number
  /**
   * How long response bytes may wait for a client before its rate is judged, and again each time; then the connection or
   * stream is destroyed if the client took nothing, or less than `minResponseBytesPerSecond`.
   */
  readonly writeStallTimeoutMs: number
  /**
   * Minimum bytes a second that a client must take while response bytes wait for it, on average over `writeStallTimeoutMs`.
   * Time in which nothing waits does not count. Modems took 3,000; 256 stops those who take a byte at a time. 0 for any.
   */
  readonly minResponseBytesPerSecond: number
  /** Between two requests on a connection, as announced in `keep-alive`; closed a second later, to let a late request win. */
  readonly keepAliveTimeoutMs: number
  /** When the server closes: for a request that is on its way on an idle HTTP/1.1 connection; longer than a round trip. */
  readonly drainIdleMs: number
  /** Pipelined requests of one HTTP/1.1 connection that are begun before others which have much to do get their turn; 0 for no limit. */
  readonly maxPipelinedRequests: number
  /** Requests on one HTTP/1.1 connection; 0 for no limit. */
  readonly maxRequestsPerConnection: number
  /**
   * TCP connections that the operating system holds until they are accepted; clients try again a second later when there
   * are more. As many as Linux allows unless told otherwise (`net.core.somaxconn`), so that a flood of connections delays
   * nobody; 0 for the number of Node.js.
   */
  readonly maxPendingConnections: number
  /** TCP connections of a listener at once; more are closed as they come. 0 for no limit: the machine's is the right one for most. */
  readonly maxConnections: number
  /** TCP connections of a listener from one address; more are closed as they come. 0 for no limit: many clients share an address. */
  readonly maxConnectionsPerAddress: number
  /** Bytes of a request body that no handler reads, discarded to keep an HTTP/1.1 connection. For a longer rest, or one of unknown length, the response is the last one of its connection. */
  readonly maxSkippedBodyBytes: number
  /**
   * Bytes of the rest of a request that are discarded after its response. Above it, HTTP/1.1 closes the connection, and
   * HTTP/2 and HTTP/3 ask the client to send no more. 0 for no limit: many clients send the whole body before they read
   * the response, and discarded bytes take no memory.
   */
  readonly lingerBytes: number
  /** Without another byte to discard; then the same. As long as in nginx, and longer than a network loses packets. */
  readonly lingerStallTimeoutMs: number
  /** To discard bytes in all; then the same. As long as `requestTimeoutMs`, the time for a body that a handler reads. */
  readonly lingerTimeoutMs: number
  /** Streams of one HTTP/2 or HTTP/3 connection at once. */
  readonly maxConcurrentStreams: number
  /** Streams that one HTTP/2 or HTTP/3 connection may reset in a burst (CVE-2023-44487); then it is closed. */
  readonly maxStreamResetBurst: number
  /** Streams that one HTTP/2 or HTTP/3 connection may reset a second in the long run. */
  readonly maxStreamResetsPerSecond: number
  /** HTTP/2 or HTTP/3 connection without an open stream; then it is closed with GOAWAY. */
  readonly sessionIdleTimeoutMs: number
  /** HTTP/3 connections at once; a further client gets no response. UDP has no descriptors that would run out first. */
  readonly maxHttp3Connections: number
}

/** The share of the memory that may wait for clients. */
const BUFFERED_SHARE = 1 / 4

/** Zero, or a number beyond all memory, where nothing constrains the process. */
function usableBytes(): number {
  const heapBytes = getHeapStatistics().heap_size_limit
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(heapBytes, constrained) : heapBytes
}

export const DEFAULT_LIMITS: Limits = {
  maxHeadBytes: 16 * 1024,
  maxRequestLineBytes: 8000,
  maxFields: 100,
  maxTrailerBytes: 8 * 1024,
  maxTrailerFields: 32,
  maxChunkExtensionBytes: 4 * 1024,
  maxChunkExtensionsTotalBytes: 16 * 1024,
  maxBodyBytes: 1024 * 1024,
  maxFormFields: 1_000,
  maxBufferedBodyBytes: 64 * 1024,
  maxBufferedBytesPerConnection: 4 * 1024 * 1024,
  maxBufferedBytes: Math.floor(usableBytes() * BUFFERED_SHARE),
  tlsHandshakeTimeoutMs: 10_000,
  firstByteTimeoutMs: 10_000,
  headTimeoutMs: 15_000,
  bodyStallTimeoutMs: 30_000,
  minBodyBytesPerSecond: 0,
  bodyRateGraceMs: 10_000,
  requestTimeoutMs: 300_000,
  writeStallTimeoutMs: 60_000,
  minResponseBytesPerSecond: 256,
  keepAliveTimeoutMs: 5_000,
  drainIdleMs: 500,
  maxPipelinedRequests: 16,
  maxRequestsPerConnection: 0,
  maxPendingConnections: 4096,
  maxConnections: 0,
  maxConnectionsPerAddress: 0,
  maxSkippedBodyBytes: 256 * 1024,
  lingerBytes: 0,
  lingerStallTimeoutMs: 5_000,
  lingerTimeoutMs: 300_000,
  maxConcurrentStreams: 100,
  maxStreamResetBurst: 200,
  maxStreamResetsPerSecond: 20,
  sessionIdleTimeoutMs: 60_000,
  maxHttp3Connections: 10_000,
}

// Timers and the operating system accept no larger number. A body, and what waits, may be larger.
const LIMIT = integer(0, MAX_TIMER_MS)
const NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]

export const LIMIT_KINDS: OptionKinds<Partial<Limits>> = {
  ...(Object.fromEntries(NAMES.map((name) => [name, LIMIT])) as OptionKinds<Limits>),
  maxBodyBytes: integer(0),
  lingerBytes: integer(0),
  maxBufferedBytes: integer(0),
  maxBufferedBytesPerConnection: integer(0),
}

/** Replaces some of the defaults. A limit that is `undefined` keeps its default. `LIMIT_KINDS` checks the values. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...DEFAULT_LIMITS, ...stated }
}
