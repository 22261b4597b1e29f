import type { Socket } from 'node:net'
import type { UpgradedConnection } from '@fw/types'
import { AbortedError } from '../aborted-error.ts'
import type { Deadlines, Watched } from '../deadlines.ts'
import type { Drainable, EngineHost } from '../engine.ts'
import { ProtocolError } from '../protocol-error.ts'
import { BodyReceiver, type BodySource } from './body-receiver.ts'
import { Http1Exchange, type AnswerTransport } from './exchange.ts'
import { parseHead, requestLineOf, type RequestHead } from './parser.ts'
import { startsWithPreface } from './preface.ts'
import { SocketOutput } from './socket-output.ts'
import { encodeHead, type ConnectionFields } from './writer.ts'

/** Where a connection stands. */
type Phase =
  /** Nothing has arrived yet. */
  | 'fresh'
  /** Between two requests. */
  | 'idle'
  /** Part of a head has arrived. */
  | 'head'
  /** A request is being received, answered, or both. */
  | 'exchange'
  /** Everything was sent; what still arrives is thrown away until the peer has seen it. */
  | 'lingering'
  /** Somebody else has the socket; only its end is of interest. */
  | 'upgraded'
  | 'closed'

export interface Http1ConnectionOptions {
  readonly scheme: 'http' | 'https'
  readonly host: EngineHost
  readonly deadlines: Deadlines
  /** Takes over a socket whose first octets, given back to it, are the HTTP/2 preface. */
  readonly onHttp2?: ((socket: Socket) => void) | undefined
  readonly onClose: (connection: Http1Connection) => void
}

/**
 * One HTTP/1.x connection: owns the socket, its deadlines and the order of requests.
 *
 * Pipelined requests are served one after the other, so answers cannot overtake each other and a client that sends
 * many at once waits in its own socket buffer.
 */
export class Http1Connection implements AnswerTransport, BodySource, Watched, Drainable {
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly output: SocketOutput
  deadlineMs: number

  readonly #socket: Socket
  readonly #options: Http1ConnectionOptions
  readonly #host: EngineHost
  readonly #deadlines: Deadlines
  #phase: Phase = 'fresh'
  /** Octets received and not yet understood. */
  #received: Buffer | undefined = undefined
  #lastHead: RequestHead | undefined = undefined
  #exchange: Http1Exchange | undefined = undefined
  /** The body of the exchange, until its last octet is there. */
  #incoming: BodyReceiver | undefined = undefined
  #keepAlive = true
  #requests = 0
  /** When a head began to arrive that did not come at once. */
  #headStartMs: number | undefined = undefined
  #requestDeadlineMs = Infinity
  #isPaused = false
  #isAdvancing = false
  #lingered = 0

  constructor(socket: Socket, options: Http1ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#host = options.host
    this.#deadlines = options.deadlines
    const { writeStallTimeoutMs } = options.host.limits
    this.output = new SocketOutput(socket, options.deadlines, writeStallTimeoutMs, this)
    this.scheme = options.scheme
    this.remoteAddress = socket.remoteAddress
    this.remotePort = socket.remotePort
    this.deadlineMs = this.#deadlines.in(this.#host.limits.firstByteTimeoutMs)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('drain', this.#onDrain)
    socket.on('error', ignore)
    socket.on('close', this.#onClose)
    this.#deadlines.watch(this)
  }

  drain(): void {
    this.#keepAlive = false
    if (this.#exchange?.isClosed) this.#linger()
    else if (this.#phase === 'fresh' || this.#phase === 'idle') {
      // A request may be on its way. It is answered, and the answer says that it was the last.
      this.deadlineMs = Math.min(this.deadlineMs, this.#deadlines.in(this.#host.limits.drainIdleMs))
    }
  }

  destroy(): void {
    // Nothing that has been received behind this is looked at any more.
    this.#phase = 'closed'
    this.#socket.destroy()
  }

  break(isVisible: boolean): void {
    this.#phase = 'closed'
    // A reset; TLS has no such thing, but there the missing close_notify tells.
    if (isVisible && this.scheme === 'http') this.#socket.resetAndDestroy()
    else this.#socket.destroy()
  }

  connectionFields(close: boolean): ConnectionFields {
    const { limits, altSvc } = this.#host
    if (close || this.#mustCloseAfterAnswer()) this.#keepAlive = false
    return {
      keepAlive: this.#keepAlive,
      keepAliveSeconds: Math.floor(limits.keepAliveTimeoutMs / 1000),
      altSvc,
    }
  }

  giveAway(): UpgradedConnection {
    const socket = this.#socket
    const head = this.#received ?? Buffer.alloc(0)
    this.#phase = 'upgraded'
    this.#received = undefined
    this.deadlineMs = Infinity
    socket.off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain)
    // As a new socket: what arrives waits until its new owner listens.
    socket.readableFlowing = null
    return { socket, head }
  }

  onSettled(exchange: Http1Exchange): void {
    if (exchange !== this.#exchange) return
    this.#incoming?.body.discard()
    this.#advance()
  }

  onBodyWanted(receiver: BodyReceiver): void {
    if (receiver !== this.#incoming) return
    if (receiver.awaitsContinue) {
      receiver.awaitsContinue = false
      if (this.#exchange?.status === 0) this.output.writeText('HTTP/1.1 100 Continue\r\n\r\n')
    }
    this.#watchBody(receiver)
  }

  onBodyFlow(receiver: BodyReceiver): void {
    if (receiver !== this.#incoming) return
    this.#watchBody(receiver)
    if (!receiver.isFull) this.#advance()
  }

  onBodyFault(receiver: BodyReceiver): void {
    if (this.#exchange?.body === receiver.body) this.#exchange.abort()
  }

  onDeadline(): void {
    switch (this.#phase) {
      case 'head':
        this.#refuse(new ProtocolError(408, 'Request head took too long'))
        return
      case 'exchange':
        if (this.#incoming !== undefined) {
          this.#failBody(this.#incoming, new ProtocolError(408, 'Request body took too long'))
        }
        return
      case 'idle':
        this.#linger()
        return
      case 'fresh':
      case 'lingering':
      case 'upgraded':
      case 'closed':
        this.#socket.destroy()
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#phase === 'lingering') {
      this.#lingered += chunk.length
      if (this.#lingered > this.#host.limits.lingerBytes) this.#socket.destroy()
      return
    }
    this.#received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    if (this.#phase === 'fresh' && this.#options.onHttp2 !== undefined && this.#received[0] === 0x50) {
      const isHttp2 = startsWithPreface(this.#received)
      if (isHttp2 === undefined) return
      if (isHttp2) return this.#handOver(this.#options.onHttp2, this.#received)
    }
    this.#advance()
  }

  readonly #onEnd = (): void => {
    // A client that has sent everything it ever will is taken to have left, unless its answer is on its way already.
    const exchange = this.#exchange
    if (exchange !== undefined && !exchange.isComplete) {
      this.destroy()
      exchange.onConnectionLost(new AbortedError('The client closed the connection'))
      return
    }
    this.#keepAlive = false
    if (exchange === undefined || exchange.isClosed) this.#linger()
  }

  readonly #onDrain = (): void => {
    this.output.onDrain()
    if (!this.output.isBlocked) this.#exchange?.onDrain()
  }

  readonly #onClose = (): void => {
    this.#phase = 'closed'
    this.#deadlines.unwatch(this)
    this.output.close()
    this.#received = undefined
    this.#incoming = undefined
    this.#exchange?.onConnectionLost(new AbortedError('The connection was closed'))
    this.#exchange = undefined
    this.#options.onClose(this)
  }

  /** Goes on as far as the received octets and the answers given allow. */
  #advance(): void {
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    let isCorked = false
    while (this.#phase !== 'lingering' && this.#phase !== 'upgraded' && this.#phase !== 'closed') {
      if (this.#exchange === undefined) {
        if (this.#received === undefined || !this.#begin(this.#received)) break
        // Answers to pipelined requests leave together.
        if (this.#received !== undefined && this.#incoming === undefined && !isCorked) {
          isCorked = true
          this.#socket.cork()
        }
        this.#serve()
      }
      if (this.#incoming !== undefined && !this.#receiveBody(this.#incoming)) break
      if (this.#exchange === undefined || !this.#exchange.isClosed || !this.#next()) break
    }
    if (isCorked) this.#socket.uncork()
    this.#isAdvancing = false
    this.#throttle()
  }

  /** Starts the next request; false if its head is not there yet. */
  #begin(received: Buffer): boolean {
    const { limits } = this.#host
    let head: RequestHead | undefined
    try {
      head = parseHead(received, limits, this.#lastHead)
    } catch (error) {
      this.#refuse(asProtocolError(error))
      return false
    }
    if (head === undefined) {
      this.#awaitHead()
      return false
    }
    this.#lastHead = head
    this.#received = head.end < received.length ? received.subarray(head.end) : undefined
    this.#phase = 'exchange'
    this.#requests++
    this.#keepAlive &&= head.fields.keepAlive && this.#requests !== limits.maxRequestsPerConnection
    const incoming = BodyReceiver.of(this, head.fields, limits)
    this.#incoming = incoming
    this.deadlineMs = Infinity
    if (incoming !== undefined) {
      this.#requestDeadlineMs = this.#deadlines.in(limits.requestTimeoutMs, this.#headStartMs)
      this.#watchBody(incoming)
    }
    this.#headStartMs = undefined
    this.#exchange = new Http1Exchange(this, head, incoming?.body)
    return true
  }

  #awaitHead(): void {
    if (this.#headStartMs !== undefined) return
    this.#phase = 'head'
    this.#headStartMs = performance.now()
    this.deadlineMs = this.#deadlines.in(this.#host.limits.headTimeoutMs, this.#headStartMs)
  }

  #serve(): void {
    if (this.#exchange !== undefined) this.#host.onRequest(this.#exchange)
  }

  /** Passes body octets on; false while the body is incomplete. */
  #receiveBody(incoming: BodyReceiver): boolean {
    const received = this.#received
    if (received === undefined || incoming.isFull) return this.#skipBodyOfAnswered(incoming)
    let used: number
    try {
      used = incoming.receive(received)
    } catch (error) {
      this.#failBody(incoming, asProtocolError(error))
      return true
    }
    // Whoever was given the octets may have ended the exchange, or the connection.
    if (this.#incoming !== incoming) return true
    this.#received = used < received.length ? received.subarray(used) : undefined
    if (!incoming.isComplete) {
      this.#watchBody(incoming)
      return this.#skipBodyOfAnswered(incoming)
    }
    this.#incoming = undefined
    this.deadlineMs = Infinity
    incoming.finish()
    return true
  }

  /** The rest of a body nobody reads is read for a while, then the connection is given up. */
  #skipBodyOfAnswered(incoming: BodyReceiver): false {
    if (!this.#exchange?.isClosed) return false
    if (!this.#keepAlive || incoming.skippedBytes > this.#host.limits.lingerBytes) this.#linger()
    return false
  }

  /** The body will not be complete; the answer still can be. */
  #failBody(incoming: BodyReceiver, error: ProtocolError): void {
    this.#incoming = undefined
    this.#received = undefined
    this.#keepAlive = false
    this.deadlineMs = Infinity
    incoming.body.fail(error)
    if (this.#exchange?.isClosed) this.#linger()
  }

  /** The exchange is over and its body read; false if the connection ends here. */
  #next(): boolean {
    if (this.#phase === 'closed') return false
    this.#exchange = undefined
    if (!this.#keepAlive) {
      this.#linger()
      return false
    }
    this.#phase = 'idle'
    // The advertised time is the client's to use; the second on top lets a request win that is on its way.
    const { keepAliveTimeoutMs } = this.#host.limits
    this.deadlineMs = this.#deadlines.in(keepAliveTimeoutMs === 0 ? 0 : keepAliveTimeoutMs + 1000)
    return true
  }

  #mustCloseAfterAnswer(): boolean {
    const incoming = this.#incoming
    if (incoming === undefined) return false
    // RFC 9110 §10.1.1: whether the body comes after all cannot be known.
    if (incoming.awaitsContinue) return true
    // Passing over the rest of a body is worth it only when it is known to be short.
    const { length, isWanted } = incoming.body
    return length === undefined || (!isWanted && length > this.#host.limits.lingerBytes)
  }

  /** A request that no handler sees: answered once, as briefly as possible. */
  #refuse(error: ProtocolError): void {
    const [method, target] = requestLineOf(this.#received ?? Buffer.alloc(0))
    const head = { fields: [], contentLength: 0, allowsBody: true, close: true, hasDate: false }
    this.#socket.write(
      encodeHead(error.status, head, 'length', { keepAlive: false, keepAliveSeconds: 0, altSvc: '' }),
      'latin1',
    )
    this.#received = undefined
    this.#linger()
    this.#host.onRefused({
      status: error.status,
      reason: error.message,
      protocol: 'HTTP/1.1',
      remoteAddress: this.remoteAddress,
      method,
      target,
      bodyBytes: 0,
      durationMs: this.#headStartMs === undefined ? 0 : performance.now() - this.#headStartMs,
    })
  }

  /** Says goodbye and waits a little for the peer to hear it: a socket closed with unread octets resets the connection. */
  #linger(): void {
    if (this.#phase === 'lingering' || this.#phase === 'upgraded' || this.#phase === 'closed') return
    this.#phase = 'lingering'
    this.#exchange = undefined
    this.#incoming = undefined
    this.#received = undefined
    this.#throttle()
    const { writeStallTimeoutMs, lingerTimeoutMs } = this.#host.limits
    this.deadlineMs = this.#deadlines.in(writeStallTimeoutMs)
    this.#socket.end(() => (this.deadlineMs = this.#deadlines.in(lingerTimeoutMs)))
  }

  #handOver(onHttp2: (socket: Socket) => void, received: Buffer): void {
    const socket = this.#socket
    this.#phase = 'closed'
    this.#deadlines.unwatch(this)
    socket.off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain)
    socket.off('error', ignore).off('close', this.#onClose)
    this.#options.onClose(this)
    // The session reads the socket itself; resuming it here would lose octets.
    socket.pause()
    socket.unshift(received)
    onHttp2(socket)
  }

  /** Stops reading while what was read cannot be used. */
  #throttle(): void {
    if (this.#phase === 'upgraded') return
    const waiting = this.#incoming === undefined ? (this.#received?.length ?? 0) : 0
    const isStuck = this.#incoming?.isFull === true || waiting >= this.#host.limits.maxBufferedBodyBytes
    const shouldPause = isStuck && this.#phase === 'exchange'
    if (shouldPause === this.#isPaused) return
    this.#isPaused = shouldPause
    if (shouldPause) this.#socket.pause()
    else this.#socket.resume()
  }

  #watchBody(incoming: BodyReceiver): void {
    const isWaiting = !incoming.isFull && !incoming.awaitsContinue
    const { bodyStallTimeoutMs } = this.#host.limits
    this.deadlineMs = isWaiting ? Math.min(this.#deadlines.in(bodyStallTimeoutMs), this.#requestDeadlineMs) : Infinity
  }
}

function asProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  throw error
}

/** A socket's `close` follows every `error` and says all that matters. */
function ignore(): void {}
