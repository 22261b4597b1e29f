import { getHeapStatistics } from 'node:v8'
import { integer, type OptionKinds } from '@fw/options'
import { MAX_TIMER_MS } from './timer.ts'

/**
 * Limits on what one client can use. Every limit has a default and an option in `new Server({ limits })`. The option
 * name states the unit. 0 turns a time limit off.
 */
export interface Limits {
  /**
   * Limits the request line and header section together, in bytes. A larger head gets 431. Also limits the pipelined bytes
   * buffered behind a running request; beyond this limit, the server stops reading. Default 16,384, as in Node.js: enough for
   * large cookies.
   */
  readonly maxHeadBytes: number
  /**
   * Limits the request line, in bytes. A longer one gets 414. On HTTP/2 and HTTP/3, the limit applies to the equivalent
   * HTTP/1.1 request line. Default 8,000, the minimum that RFC 9112 §3 recommends.
   */
  readonly maxRequestLineBytes: number
  /**
   * Limits the number of header fields of a request, without pseudo-header fields. A request with more gets 431. The server
   * never drops individual fields, because a missing field could weaken security checks. Default 100.
   */
  readonly maxFields: number
  /**
   * Limits the trailer section, in bytes. A larger one gets 431. Default 8,192: few applications use trailers at all.
   */
  readonly maxTrailerBytes: number
  /** Limits the number of trailer fields, including discarded ones. A request with more gets 431. Default 32. */
  readonly maxTrailerFields: number
  /**
   * Limits the extensions of one chunk, in bytes. Leading zeros of the chunk size beyond 16 digits also count. A chunk with
   * more gets 400. Default 4,096: only attackers send long extensions (CVE-2024-22019).
   */
  readonly maxChunkExtensionBytes: number
  /** Limits the chunk extensions of one body, in bytes. A body with more gets 413. Default 16,384. */
  readonly maxChunkExtensionsTotalBytes: number
  /**
   * Limits the request body, in bytes. A larger one gets 413. Default 1,048,576; raise it for the routes that accept
   * uploads.
   */
  readonly maxBodyBytes: number
  /**
   * Limits the fields of a form (`application/x-www-form-urlencoded`). A form with more gets 413. Default 1,000: typical forms
   * have dozens of fields, and a million would keep Node.js busy for ten seconds.
   */
  readonly maxFormFields: number
  /**
   * Limits each part of a `multipart/form-data` body, in bytes. A larger part gets 413. Default 0, no limit: `maxBodyBytes`
   * limits all parts together.
   */
  readonly maxFileBytes: number
  /**
   * Limits the received body bytes of one request that are buffered until the handler reads them. Beyond this limit, the server
   * stops reading. Default 65,536.
   */
  readonly maxBufferedBodyBytes: number
  /**
   * Limits the bytes that one connection makes the server buffer: responses that the client does not read, and received data
   * that no handler has read. Beyond this limit, further requests on the connection wait until it drains. The largest response
   * does not count, so that one unread response does not block the others. Default 4,194,304, which is enough to fill a fast
   * link; a thousand clients that do not read stay below 4 GiB. 0 disables the limit.
   */
  readonly maxBufferedBytesPerConnection: number
  /**
   * Limits the bytes buffered for all connections in the process, including those of other servers. Beyond this limit, requests
   * get 503 with `Retry-After`, and connections whose clients read too slowly are closed, largest first. Connections can exceed
   * their own limit while less than a quarter of this limit is in use. Default: a quarter of the V8 heap limit, or of the
   * container's memory if that is smaller; the rest is for handlers. 0 disables the limit.
   */
  readonly maxBufferedBytes: number
  /**
   * Limits the milliseconds from accepting a connection, or from the end of its PROXY header, to the end of its TLS or QUIC
   * handshake. A slower connection is closed without a response. Default 10,000: several round trips even on a slow link.
   */
  readonly tlsHandshakeTimeoutMs: number
  /**
   * Limits the milliseconds from accepting a connection, or from the end of its TLS handshake or PROXY header, to its first
   * byte. A slower connection is closed without a response, because idle connections cost clients nothing. Default 10,000.
   */
  readonly firstByteTimeoutMs: number
  /**
   * Limits the milliseconds from the first to the last byte of a request head. A slower client gets 408. Further bytes do not
   * extend the limit, so sending slowly does not avoid it. Default 15,000.
   */
  readonly headTimeoutMs: number
  /**
   * Limits the milliseconds between received body bytes while a handler is reading the body. After a longer pause, the client
   * gets 408. Default 30,000.
   */
  readonly bodyStallTimeoutMs: number
  /**
   * Requires this average rate, in bytes per second, while the handler is reading the body. A slower client gets 408. Default 0
   * (no limit), because some links are slow; 256 stops slow-body attacks.
   */
  readonly minBodyBytesPerSecond: number
  /** Sets for how many milliseconds a body is read before `minBodyBytesPerSecond` applies. Default 10,000. */
  readonly bodyRateGraceMs: number
  /**
   * Limits the milliseconds from the start of a request head to the end of the body. A slower client gets 408. Default 300,000.
   */
  readonly requestTimeoutMs: number
  /**
   * Destroys the connection or stream if response bytes have been waiting for this many milliseconds, and the client has read
   * none, or fewer than `minResponseBytesPerSecond` requires. The check repeats at this interval. Default 60,000.
   */
  readonly writeStallTimeoutMs: number
  /**
   * Requires the client to read this many response bytes per second while bytes are waiting, on average over
   * `writeStallTimeoutMs`. Default 256: even a modem reads 3,000, but a client that reads single bytes does not reach the
   * limit. 0 disables the limit.
   */
  readonly minResponseBytesPerSecond: number
  /**
   * Limits the milliseconds between two requests on an HTTP/1.1 connection, as announced in the `keep-alive` field. The server
   * closes the connection one second later, so that a late request still gets a response. Default 5,000.
   */
  readonly keepAliveTimeoutMs: number
  /**
   * Keeps idle HTTP/1.1 connections open for this many milliseconds during shutdown, so that a request already in
   * transit is served. Set it above one round-trip time. Default 500.
   */
  readonly drainIdleMs: number
  /**
   * Limits the requests that one connection starts in a row before other busy connections get their turn. Default 16; 0
   * disables the limit.
   */
  readonly maxPipelinedRequests: number
  /** Limits the requests on one HTTP/1.1 connection. Default 0 (no limit). */
  readonly maxRequestsPerConnection: number
  /**
   * Limits the TCP connections that the kernel queues until the process accepts them. Clients that find the queue full
   * retry after a second. Default 4,096, the default maximum on Linux (`net.core.somaxconn`), so a burst of
   * connections delays no client. 0 uses the Node.js default.
   */
  readonly maxPendingConnections: number
  /**
   * Limits the open TCP connections of a listener, including those that wait for a TLS handshake or a PROXY header; further
   * ones are closed immediately. Default 0 (no limit): the operating system's limits suit most servers.
   */
  readonly maxConnections: number
  /**
   * Limits the open TCP connections of a listener from one address; further ones are closed immediately. A connection whose
   * PROXY header is not complete does not count. Default 0 (no limit): many clients can share an address.
   */
  readonly maxConnectionsPerAddress: number
  /**
   * Limits the unread body bytes that the server discards to keep an HTTP/1.1 connection open. If more remain, or the
   * number is unknown, the server closes the connection after the response. Default 262,144.
   */
  readonly maxSkippedBodyBytes: number
  /**
   * Limits the bytes of a request that the server discards after its response. Beyond this limit, the server closes an HTTP/1.1
   * connection, and asks an HTTP/2 or HTTP/3 client to stop sending. Default 0 (no limit): many clients send the whole body
   * before they read the response, and discarded bytes use no memory.
   */
  readonly lingerBytes: number
  /**
   * Stops discarding, as with `lingerBytes`, when no byte arrives for this many milliseconds. Default 5,000, as in nginx:
   * longer than most periods of packet loss. For an HTTP/2 stream, the limit is always 250 ms.
   */
  readonly lingerStallTimeoutMs: number
  /**
   * Stops discarding, as with `lingerBytes`, after this many milliseconds in total. Default 300,000, the same as
   * `requestTimeoutMs`.
   */
  readonly lingerTimeoutMs: number
  /** Limits the concurrent streams of one HTTP/2 or HTTP/3 connection. Default 100. */
  readonly maxConcurrentStreams: number
  /**
   * Limits the streams that one HTTP/2 or HTTP/3 connection can reset in a burst (CVE-2023-44487). A connection with more
   * resets is closed. Default 200.
   */
  readonly maxStreamResetBurst: number
  /** Limits the streams that one HTTP/2 or HTTP/3 connection can reset per second on average. Default 20. */
  readonly maxStreamResetsPerSecond: number
  /**
   * Closes an HTTP/2 or HTTP/3 connection with GOAWAY after this many milliseconds without an open stream. Default
   * 60,000.
   */
  readonly sessionIdleTimeoutMs: number
  /**
   * Limits the open HTTP/3 connections; further clients get no response. Default 10,000. UDP connections use no
   * descriptors, so the operating system does not limit them.
   */
  readonly maxHttp3Connections: number
}

/** Maximum share of the usable memory for bytes that are buffered for clients. */
const BUFFERED_SHARE = 1 / 4

/**
 * Returns the bytes that the process can use. `constrainedMemory()` is 0, or more than the machine's memory, if the
 * process has no limit.
 */
function usableBytes(): number {
  const heapBytes = getHeapStatistics().heap_size_limit
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(heapBytes, constrained) : heapBytes
}

/** The default of each limit. */
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
  maxFileBytes: 0,
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

// Timers and the operating system do not accept a larger number. Body sizes and buffered bytes can be larger.
const LIMIT = integer(0, MAX_TIMER_MS)
const NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]

export const LIMIT_KINDS: OptionKinds<Partial<Limits>> = {
  ...(Object.fromEntries(NAMES.map((name) => [name, LIMIT])) as OptionKinds<Limits>),
  maxBodyBytes: integer(0),
  maxFileBytes: integer(0),
  lingerBytes: integer(0),
  maxBufferedBytes: integer(0),
  maxBufferedBytesPerConnection: integer(0),
}

/** Returns the limits, with the default for each one that is absent or `undefined`. `LIMIT_KINDS` checks the values. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...DEFAULT_LIMITS, ...stated }
}
