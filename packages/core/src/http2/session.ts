import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Deadlines, Watched } from '../deadlines.ts'
import type { Drainable, EngineHost } from '../engine.ts'
import { ProtocolError } from '../protocol-error.ts'
import { Http2Exchange } from './exchange.ts'
import { http2RequestHead } from './request-head.ts'

export interface Http2SessionOptions {
  readonly scheme: 'http' | 'https'
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly onClose: (session: Http2Session) => void
}

/** Memory for one session in MB, the unit of `node:http2`. */
const SESSION_MEMORY_MB = 10
/** Frames that break the protocol before a session is closed (CVE-2019-9514 and its like). */
const MAX_INVALID_FRAMES = 100
/** Pseudo-header fields are counted among the pairs. */
const PSEUDO_FIELDS = 5

/** One HTTP/2 connection: framing by nghttp2, its streams as exchanges. */
export class Http2Session implements Drainable, Watched {
  deadlineMs: number
  readonly #session: ServerHttp2Session
  readonly #options: Http2SessionOptions
  readonly #remoteAddress: string | undefined
  readonly #remotePort: number | undefined
  #openStreams = 0

  constructor(socket: Socket, options: Http2SessionOptions) {
    const { limits } = options.host
    this.#options = options
    this.#remoteAddress = socket.remoteAddress
    this.#remotePort = socket.remotePort
    // Streams end by frames: a client that closes its side of the socket has left.
    socket.allowHalfOpen = false
    this.#session = performServerHandshake(socket, {
      settings: {
        enablePush: false,
        maxConcurrentStreams: limits.maxConcurrentStreams,
        maxHeaderListSize: limits.maxHeadBytes,
      },
      maxHeaderListPairs: limits.maxFields + PSEUDO_FIELDS,
      maxSessionMemory: SESSION_MEMORY_MB,
      maxSessionInvalidFrames: MAX_INVALID_FRAMES,
      streamResetBurst: limits.maxStreamResetBurst,
      streamResetRate: limits.maxStreamResetsPerSecond,
      // Which fields may be given twice is the application's affair, as it is on HTTP/1.1.
      strictSingleValueFields: false,
    })
    this.deadlineMs = options.deadlines.in(limits.sessionIdleTimeoutMs)
    options.deadlines.watch(this)
    this.#session.on('error', ignore)
    this.#session.on('stream', (stream, _headers, flags, rawHeaders) => this.#onStream(stream, flags, rawHeaders))
    this.#session.on('close', () => {
      options.deadlines.unwatch(this)
      options.onClose(this)
    })
  }

  drain(): void {
    // GOAWAY; the session ends with its last stream.
    if (!this.#session.closed) this.#session.close()
  }

  destroy(): void {
    this.#session.destroy()
  }

  onDeadline(): void {
    this.drain()
  }

  #onStream(stream: ServerHttp2Stream, flags: number, fields: readonly string[]): void {
    const startMs = performance.now()
    const { host, deadlines, scheme } = this.#options
    this.#openStreams++
    this.deadlineMs = Infinity
    stream.on('close', () => {
      if (--this.#openStreams === 0) this.deadlineMs = deadlines.in(host.limits.sessionIdleTimeoutMs)
    })
    try {
      const head = http2RequestHead(fields, host.limits)
      const isBodyComplete = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      const [remoteAddress, remotePort] = [this.#remoteAddress, this.#remotePort]
      host.onRequest(
        new Http2Exchange(stream, head, fields, isBodyComplete, { host, deadlines, scheme, remoteAddress, remotePort }),
      )
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#refuse(stream, error, startMs)
    }
  }

  #refuse(stream: ServerHttp2Stream, error: ProtocolError, startMs: number): void {
    stream.on('error', ignore)
    stream.respond({ ':status': error.status, 'content-length': 0 }, { endStream: true })
    // Not before the answer is out.
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
    this.#options.host.onRefused({
      status: error.status,
      reason: error.message,
      protocol: 'HTTP/2.0',
      remoteAddress: this.#remoteAddress,
      method: undefined,
      target: undefined,
      bodyBytes: 0,
      durationMs: performance.now() - startMs,
    })
  }
}

/** A session's `close` follows every `error` and says all that matters. */
function ignore(): void {}
