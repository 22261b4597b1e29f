/**
 * What one client may cost. Every limit has a default here and can be set in `new Server({ limits })`; the unit is in
 * the name, 0 switches a time limit off.
 */
export interface Limits {
  /** Request line, fields and the empty line together, in octets; above it 431. Node's own default, and enough for large cookies. */
  readonly maxHeadBytes: number
  /** Request line in octets; above it 414. RFC 9112 §3 asks for at least 8,000. */
  readonly maxRequestLineBytes: number
  /** Header fields of one request; above it 431. Fields are never silently dropped, as that could drop a security field. */
  readonly maxFields: number
  /** Trailer section in octets; above it 431. Few applications use trailers at all. */
  readonly maxTrailerBytes: number
  /** Trailer fields; above it 431. */
  readonly maxTrailerFields: number
  /** Extensions of one chunk in octets; above it 400. Nobody sends them but attackers (CVE-2024-22019). */
  readonly maxChunkExtensionBytes: number
  /** Chunk extensions of one body in octets; above it 413. */
  readonly maxChunkExtensionsTotalBytes: number
  /** Request body in octets; above it 413. Routes that take uploads raise it. */
  readonly maxBodyBytes: number
  /** Received octets that may wait for a handler which does not read, for one request; then the client is made to wait. */
  readonly maxBufferedBodyBytes: number
  /** From a new connection to its first octet; idle connections are cheap to open. Closed without an answer. */
  readonly firstByteTimeoutMs: number
  /** From the first octet of a head to its end, in all, so that dripping it does not help; then 408. */
  readonly headTimeoutMs: number
  /** Without an octet of a body that is being waited for; then 408. */
  readonly bodyStallTimeoutMs: number
  /** From the start of a head to the end of the body; then 408. */
  readonly requestTimeoutMs: number
  /** Without the client taking an octet of the answer; then the connection or stream is destroyed. */
  readonly writeStallTimeoutMs: number
  /** Between two requests on a connection, as announced in `keep-alive`; closed a second later, to let a late request win. */
  readonly keepAliveTimeoutMs: number
  /** Requests on one HTTP/1.1 connection; 0 for no limit. */
  readonly maxRequestsPerConnection: number
  /** Octets read and thrown away after an error answer, so that the client sees the answer and not a reset. */
  readonly lingerBytes: number
  /** Time for the same. */
  readonly lingerTimeoutMs: number
  /** Streams of one HTTP/2 or HTTP/3 connection at once. */
  readonly maxConcurrentStreams: number
  /** Streams that one HTTP/2 or HTTP/3 connection may reset in a burst (CVE-2023-44487); then it is closed. */
  readonly maxStreamResetBurst: number
  /** Streams that one HTTP/2 or HTTP/3 connection may reset a second in the long run. */
  readonly maxStreamResetsPerSecond: number
  /** HTTP/2 or HTTP/3 connection without an open stream; then it is closed with GOAWAY. */
  readonly sessionIdleTimeoutMs: number
  /** HTTP/3 connections at once; a further client gets no answer. UDP has no descriptors that would run out first. */
  readonly maxHttp3Connections: number
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
  maxBufferedBodyBytes: 64 * 1024,
  firstByteTimeoutMs: 10_000,
  headTimeoutMs: 15_000,
  bodyStallTimeoutMs: 30_000,
  requestTimeoutMs: 300_000,
  writeStallTimeoutMs: 60_000,
  keepAliveTimeoutMs: 5_000,
  maxRequestsPerConnection: 0,
  lingerBytes: 256 * 1024,
  lingerTimeoutMs: 2_000,
  maxConcurrentStreams: 100,
  maxStreamResetBurst: 200,
  maxStreamResetsPerSecond: 20,
  sessionIdleTimeoutMs: 60_000,
  maxHttp3Connections: 10_000,
}

/**
 * The defaults with some replaced.
 *
 * @throws {TypeError} if a name is not one of the limits
 * @throws {RangeError} if a value is no whole number, or negative
 */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw new TypeError(`Unknown limit '${name}'; the limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}`)
    }
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`Limit ${name} is ${String(value)}; it takes a whole number, 0 or more`)
    }
  }
  return { ...DEFAULT_LIMITS, ...given }
}
