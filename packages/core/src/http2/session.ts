import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Deadlines, Watched } from '../engine/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine.ts'
import { ProtocolError } from '../engine/protocol-error.ts'
import { Http2Exchange, type StreamOwner } from './exchange.ts'
import { traceSession } from './session-trace.ts'
import { http2RequestHead, refusedRequestLine } from './request-head.ts'
import { sessionOptions } from './session-options.ts'
import { SocketProgress } from './socket-progress.ts'
import { StreamSlots } from './stream-slots.ts'

/** Looks at what the socket takes, in the time in which it must have taken something. */
const SAMPLES = 4

export interface Http2SessionOptions {
  readonly scheme: 'http' | 'https'
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly onClose: (session: Http2Session) => void
}

/** One HTTP/2 connection: framing by nghttp2, its streams as exchanges. */
export class Http2Session implements Drainable, Watched, StreamOwner {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly progress: SocketProgress
  deadlineMs: number
  nextSampleMs: number
  readonly #socket: Socket
  readonly #session: ServerHttp2Session
  /** When the session has been idle, or closing, for long enough. */
  #idleDeadlineMs: number
  /** The last stream that anybody was told of. */
  #lastStreamId = -1
  readonly #streams = new StreamSlots()
  /** Requests that were refused and are still being told so. */
  #refused = 0

  constructor(socket: Socket, options: Http2SessionOptions) {
    const { host, deadlines } = options
    this.host = host
    this.deadlines = deadlines
    this.scheme = options.scheme
    this.remoteAddress = socket.remoteAddress
    this.remotePort = socket.remotePort
    this.#socket = socket
    this.progress = new SocketProgress(socket)
    // Streams end by frames: a client that closes its side of the socket has left.
    socket.allowHalfOpen = false
    // Before Node.js hears of it, and what it knew of the session is gone.
    socket.once('close', () => this.#onUnseen(this.#session.state.lastProcStreamID ?? 0))
    this.#session = performServerHandshake(socket, sessionOptions(host.limits))
    traceSession(host.logger, this.#session)
    this.#idleDeadlineMs = deadlines.in(host.limits.sessionIdleTimeoutMs)
    this.nextSampleMs = deadlines.in(host.limits.writeStallTimeoutMs / SAMPLES)
    this.deadlineMs = Math.min(this.#idleDeadlineMs, this.nextSampleMs)
    deadlines.watch(this)
    this.#session.on('error', (error: Error) => this.#onError(error))
    this.#session.on('stream', (stream, _headers, flags, rawHeaders) => this.#onStream(stream, flags, rawHeaders))
    // A session that its client ends has forgotten its streams when the socket closes.
    this.#session.on('goaway', () => this.#onUnseen(this.#session.state.lastProcStreamID ?? 0))
    this.#session.on('close', () => {
      deadlines.unwatch(this)
      options.onClose(this)
    })
  }

  drain(): void {
    if (this.#session.closed) return
    // GOAWAY; the session ends with its last stream.
    this.#session.close()
    if (this.#isIdle) this.#onIdle()
  }

  destroy(): void {
    // Streams that end without an error would pass for complete.
    this.#session.destroy(undefined, constants.NGHTTP2_CANCEL)
    // Once told to close, a session lets its socket finish, whatever the client takes of it.
    this.#socket.destroy()
  }

  onDeadline(): void {
    const nowMs = performance.now()
    const { writeStallTimeoutMs } = this.host.limits
    this.progress.sample(nowMs)
    if (writeStallTimeoutMs > 0 && this.progress.stalledMs(nowMs) >= writeStallTimeoutMs) {
      this.destroy()
      return
    }
    this.nextSampleMs = this.deadlines.in(writeStallTimeoutMs / SAMPLES, nowMs)
    if (!this.#isIdle) this.deadlineMs = this.#streams.expire(nowMs)
    else if (this.#idleDeadlineMs <= nowMs) this.#onIdleTooLong()
    else this.deadlineMs = this.#idleDeadlineMs
    this.deadlineMs = Math.min(this.deadlineMs, this.nextSampleMs)
  }

  watch(exchange: Http2Exchange): void {
    if (this.#isIdle) this.deadlineMs = this.nextSampleMs
    this.#streams.add(exchange)
  }

  onDeadlineSet(deadlineMs: number): void {
    if (deadlineMs < this.deadlineMs) this.deadlineMs = deadlineMs
  }

  onStreamClosed(exchange: Http2Exchange): void {
    this.#streams.remove(exchange)
    if (this.#isIdle) this.#onIdle()
  }

  get #isIdle(): boolean {
    return this.#streams.size === 0 && this.#refused === 0
  }

  #onIdle(): void {
    const { sessionIdleTimeoutMs, lingerTimeoutMs } = this.host.limits
    this.#idleDeadlineMs = this.deadlines.in(this.#session.closed ? lingerTimeoutMs : sessionIdleTimeoutMs)
    this.deadlineMs = Math.min(this.#idleDeadlineMs, this.nextSampleMs)
  }

  #onIdleTooLong(): void {
    // A field section that was begun and never ends, or a client that does not read, keeps nghttp2 from being done.
    if (this.#session.closed) this.destroy()
    else this.drain()
  }

  #onStream(stream: ServerHttp2Stream, flags: number, fields: readonly string[]): void {
    const id = stream.id ?? 0
    // A client uses every second number; what is between was reset by nghttp2, and no event told of it.
    if (id > this.#lastStreamId + 2) this.#onUnseen(id - 2)
    this.#lastStreamId = id
    try {
      const head = http2RequestHead(fields, this.host.limits)
      const hasContent = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0
      this.host.onRequest(new Http2Exchange(stream, head, fields, hasContent, this))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#refuse(stream, error, fields)
    }
  }

  #refuse(stream: ServerHttp2Stream, error: ProtocolError, fields: readonly string[]): void {
    this.#refused++
    stream.on('error', ignore)
    stream.on('close', () => {
      this.#refused--
      if (this.#isIdle) this.#onIdle()
    })
    if (!stream.closed) {
      stream.respond([':status', String(error.status), 'content-length', '0'], { endStream: true })
      // Not before the answer is out.
      setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
    }
    this.#report(error.status, error.message, refusedRequestLine(fields))
  }

  /** nghttp2 gave the connection up: what it found concerns no request that anybody else was told of. */
  #onError({ code = '', message }: Error & { readonly code?: string }): void {
    // What happens to the socket, or what the client finds wrong with us, is no fault in what it sent.
    const isFault = code === 'ERR_HTTP2_ERROR' || code.startsWith('ERR_HTTP2_TOO_MANY_')
    if (isFault) this.#report(0, message, { method: undefined, target: undefined })
  }

  /** Requests up to that stream were reset before Node.js knew of them: all that is known is that they were there. */
  #onUnseen(lastStreamId: number): void {
    const count = (lastStreamId - this.#lastStreamId) / 2
    if (count < 1) return
    this.#lastStreamId = lastStreamId
    const requests = count === 1 ? 'A request' : `${count} requests`
    this.#report(0, `${requests} reset by nghttp2: malformed or far too large`, {
      method: undefined,
      target: undefined,
    })
  }

  #report(status: number, reason: string, line: { method: string | undefined; target: string | undefined }): void {
    const { remoteAddress } = this
    // The head came at once, as far as anybody can tell from here.
    this.host.onRefused({ status, reason, protocol: 'HTTP/2.0', remoteAddress, ...line, bodyBytes: 0, durationMs: 0 })
  }
}

/** A stream's `close` follows every `error` and says all that matters. */
function ignore(): void {}
