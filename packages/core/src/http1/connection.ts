import type { Socket } from 'node:net'
import type { UpgradedConnection } from '@fw/types'
import { AbortedError, asProtocolError, ProtocolError } from '../engine/errors.ts'
import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import { beginRequest } from '../engine/exchange/begin-request.ts'
import { runOutsideRequests } from '../engine/event-loop/outside-requests.ts'
import { Http1RequestBody, type Http1BodyOwner } from './request-body.ts'
import type { Http1ConnectionOptions, Phase } from './connection-options.ts'
import { cutOff, LingeringClose } from './connection-end.ts'
import { Http1Exchange, type ResponseTransport } from './exchange.ts'
import { HeadReader } from './head-reader.ts'
import { copyBytes, joinBytes } from '../engine/socket/kept-bytes.ts'
import { ReadFlow, type FlowOwner } from '../engine/socket/read-flow.ts'
import { isShared, receiveAsStream, receiveShared } from '../engine/socket/receive-buffer.ts'
import type { RequestHead } from './request-head.ts'
import { startsWithPreface } from '../engine/socket/http2-preface.ts'
import { SocketOutput } from './output.ts'
import { encodeRefusal, type ConnectionFields } from './response-head.ts'

/**
 * One HTTP/1.x connection: owns the socket, its deadlines and the order of requests.
 *
 * Pipelined requests are served one after the other, so answers cannot overtake each other and a client that sends
 * many at once waits in its own socket buffer.
 */
export class Http1Connection implements ResponseTransport, Http1BodyOwner, FlowOwner, HasDeadline, Drainable {
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly output: SocketOutput
  deadlineMs: number
  place = 0
  watchPlace = 0

  readonly #socket: Socket
  readonly #options: Http1ConnectionOptions
  readonly #host: EngineHost
  readonly #deadlines: Deadlines
  readonly #flow: ReadFlow
  readonly #heads: HeadReader
  #phase: Phase = 'fresh'
  /** Bytes received and not yet understood. */
  #received: Buffer | undefined = undefined
  #exchange: Http1Exchange | undefined = undefined
  /** The body of the exchange, until its last byte is there. */
  #incoming: Http1RequestBody | undefined = undefined
  #keepAlive = true
  #requests = 0
  #quietSinceMs = performance.now()
  #isAdvancing = false
  #closing: LingeringClose | undefined = undefined
  /** Whether the client has said that it sends no more. */
  #hasEnded = false

  constructor(socket: Socket, options: Http1ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#host = options.host
    this.#deadlines = options.deadlines
    const { writeStallTimeoutMs } = options.host.limits
    this.output = new SocketOutput(socket, options.deadlines, writeStallTimeoutMs, this)
    this.#heads = new HeadReader(options.host.limits)
    this.#flow = new ReadFlow(socket, options.host.limits.maxPipelinedRequests, this)
    this.scheme = options.scheme
    this.remoteAddress = socket.remoteAddress
    this.remotePort = socket.remotePort
    this.deadlineMs = this.#deadlines.in(this.#host.limits.firstByteTimeoutMs, this.#quietSinceMs)
    socket.on('data', this.#onData).on('end', this.#onEnd).on('drain', this.#onDrain)
    socket.on('error', ignore).on('close', this.#onClose)
    this.#deadlines.watch(this)
  }

  drain(): void {
    this.#keepAlive = false
    if (this.#exchange?.isClosed) return this.#linger()
    if (!this.#isQuiet) return
    // A request may be on its way. It is answered, and the response says that it was the last.
    const quietUntilMs = this.#quietSinceMs + this.#host.limits.drainIdleMs
    if (quietUntilMs > performance.now()) this.deadlineMs = Math.min(this.deadlineMs, quietUntilMs)
    // Nobody is waited for any longer. What has come by now is still looked at, in the next turn if not in this one, which may
    // have asked the operating system before.
    else setImmediate(() => setImmediate(lingerIfQuiet, this))
  }

  lingerIfQuiet(): void {
    if (this.#isQuiet) this.#linger()
  }

  destroy(): void {
    this.break(this.#exchange?.endsWithConnection === true)
  }

  break(isVisible: boolean): void {
    // Nothing that has been received behind this is looked at any more.
    this.#phase = 'closed'
    this.output.release()
    // A reset; TLS has no such thing, but there the missing close_notify tells. Unix sockets have neither, and no address.
    cutOff(this.#socket, isVisible && this.scheme === 'http' && this.remoteAddress !== undefined)
  }

  connectionFields(close: boolean): ConnectionFields {
    const { limits, altSvc } = this.#host
    if (close || this.#incoming?.endsConnection) this.#keepAlive = false
    return {
      keepAlive: this.#keepAlive,
      keepAliveSeconds: Math.floor(limits.keepAliveTimeoutMs / 1000),
      altSvc,
    }
  }

  giveAway(): UpgradedConnection {
    const socket = this.#socket
    this.#keepReceived()
    const head = this.#received ?? Buffer.alloc(0)
    this.output.giveUp()
    this.#phase = 'upgraded'
    this.#received = undefined
    receiveAsStream(socket)
    this.deadlineMs = Infinity
    socket.off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain)
    // As a new socket: what arrives waits until its new owner listens.
    socket.readableFlowing = null
    return { socket, head }
  }

  onWriteTurn(): void {
    this.#onDrain()
  }

  onReadTurn(): void {
    this.#advance()
    // The server has begun to close meanwhile.
    if (!this.#keepAlive && this.#isQuiet) this.drain()
  }

  onSettled(exchange: Http1Exchange): void {
    if (exchange !== this.#exchange) return
    this.#incoming?.body.discard()
    this.#advanceOutside()
  }

  onBodyWanted(receiver: Http1RequestBody): void {
    if (receiver !== this.#incoming) return
    if (receiver.awaitsContinue) {
      receiver.awaitsContinue = false
      if (this.#exchange?.status === 0) this.output.writeText('HTTP/1.1 100 Continue\r\n\r\n')
    }
    this.deadlineMs = receiver.deadlineMs(this.#deadlines)
  }

  onBodyFlow(receiver: Http1RequestBody): void {
    if (receiver !== this.#incoming) return
    this.deadlineMs = receiver.deadlineMs(this.#deadlines)
    if (!receiver.isFull) this.#advanceOutside()
  }

  onBodyFault(receiver: Http1RequestBody): void {
    if (this.#exchange?.body === receiver.body) this.#exchange.abort()
  }

  onDeadline(): void {
    const incoming = this.#incoming
    if (this.#closing !== undefined) this.#closing.onDeadline()
    // What has arrived waits for its turn; that is not the client's fault.
    else if (this.#flow.isResting) this.deadlineMs = 0
    else if (this.#phase === 'exchange' && incoming !== undefined)
      this.#failBody(incoming, new ProtocolError(408, 'Request body took too long'))
    else if (this.#phase === 'head') this.#refuse(new ProtocolError(408, 'Request head took too long'))
    else if (this.#phase === 'idle') this.#linger()
    else if (this.#phase === 'fresh') this.#socket.destroy()
  }

  /** Whether no request is at work, or has begun to come. */
  get #isQuiet(): boolean {
    return (this.#phase === 'fresh' || this.#phase === 'idle') && !this.#flow.isResting
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#closing !== undefined) return this.#closing.onData(chunk)
    this.#received = this.#received === undefined ? chunk : joinBytes(this.#received, chunk)
    if (this.#phase === 'fresh' && this.#options.onHttp2 !== undefined && this.#received[0] === 0x50) {
      const isHttp2 = startsWithPreface(this.#received)
      if (isHttp2 === undefined) return
      if (isHttp2) return this.#handOver(this.#options.onHttp2, this.#received)
    }
    this.#advance()
    if (this.#phase !== 'upgraded') this.#flow.addBytes(chunk.length)
  }

  /** The same with bytes that are not there for longer than this takes. */
  readonly #onShared = (bytes: Buffer): void => {
    try {
      this.#onData(bytes)
    } finally {
      this.#keepReceived()
    }
  }

  /** Takes what has not been understood yet out of memory that the next read, of any connection, overwrites. */
  #keepReceived(): void {
    const received = this.#received
    if (received !== undefined && isShared(received)) this.#received = copyBytes(received, 0, received.length)
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true
    this.#onPeerEnd()
  }

  readonly #onDrain = (): void => {
    this.output.onDrain()
    // The socket tells whoever wrote to it first, which may have been another request.
    if (!this.output.isBlocked && this.#exchange !== undefined) runOutsideRequests(wake, this.#exchange)
  }

  readonly #onClose = (): void => {
    this.#abandonHead()
    this.#phase = 'closed'
    this.#stopListening()
    this.#deadlines.unwatch(this)
    this.output.close()
    this.#received = undefined
    this.#incoming = undefined
    this.#exchange?.onConnectionLost(new AbortedError('The connection was closed'))
    this.#exchange = undefined
    this.#options.onClose(this)
  }

  /** Goes on as far as the received bytes and the responses given allow. */
  #advance(): void {
    if (this.#isAdvancing || this.#flow.isResting) return
    this.#isAdvancing = true
    while (this.#phase !== 'lingering' && this.#phase !== 'upgraded' && this.#phase !== 'closed') {
      if (this.#exchange === undefined) {
        if (this.#received === undefined) {
          this.#flow.onEmpty()
          break
        }
        const exchange = this.#begin(this.#received)
        if (exchange === undefined) break
        beginRequest(this.#host, exchange, this.#received === undefined)
      }
      if (this.#incoming !== undefined && !this.#receiveBody(this.#incoming)) break
      if (this.#exchange === undefined || !this.#exchange.isClosed || !this.#next()) break
    }
    this.#isAdvancing = false
    this.#throttle()
    if (this.#hasEnded) this.#onPeerEnd()
  }

  /** The same where a request is at work: the next one, if it is there, must not begin in its asynchronous context. */
  #advanceOutside(): void {
    if (this.#received === undefined || this.#isAdvancing) this.#advance()
    else runOutsideRequests(advance, this)
  }

  /** The client has said that it sends no more; what it sent before still has its turn. */
  #onPeerEnd(): void {
    if (this.#flow.isResting || this.#phase === 'closed') return
    const exchange = this.#exchange
    // A client that has sent everything it ever will is taken to have left, unless its response is on its way already.
    if (exchange !== undefined && !exchange.isComplete) {
      this.destroy()
      exchange.onConnectionLost(new AbortedError('The client closed the connection'))
      return
    }
    const isResponding = exchange !== undefined && !exchange.isClosed
    // RFC 9112 §9.3.2: what was received behind a response that the client is still reading is answered as well.
    if (isResponding && this.#keepAlive && this.#received !== undefined) return
    this.#keepAlive = false
    this.#abandonHead()
    if (isResponding) return
    // Nothing is left to be said or heard; to end first and close then takes the operating system twice.
    if (this.scheme === 'http' && this.output.bufferedBytes === 0) this.#socket.destroy()
    else this.#linger()
  }

  /** Starts the next request, if its head is there. */
  #begin(received: Buffer): Http1Exchange | undefined {
    if (!this.#flow.mayBegin()) return undefined
    const { limits } = this.#host
    let head: RequestHead | undefined
    try {
      head = this.#heads.read(received)
    } catch (error) {
      this.#refuse(asProtocolError(error))
      return undefined
    }
    if (head === undefined) return this.#awaitHead()
    this.#received = head.end < received.length ? received.subarray(head.end) : undefined
    this.#phase = 'exchange'
    this.#requests++
    this.#flow.addRequest()
    this.#keepAlive &&= head.fields.keepAlive && this.#requests !== limits.maxRequestsPerConnection
    // RFC 9931: what follows may be meant for the tunnel, also where there will be none.
    if (head.method === 'CONNECT') this.#keepAlive = false
    this.#incoming = Http1RequestBody.of(this, head.fields, limits, this.#deadlines, this.#heads.startMs)
    this.deadlineMs = this.#incoming?.deadlineMs(this.#deadlines) ?? Infinity
    return (this.#exchange = new Http1Exchange(this, head, this.#incoming?.body))
  }

  #awaitHead(): undefined {
    if (this.#phase === 'head') return
    // An empty line is no request yet (RFC 9112 §2.2): a response to it would be taken for that to the next one.
    if (this.#heads.startMs === undefined) {
      if (this.deadlineMs === Infinity) this.#rest()
      return
    }
    this.#phase = 'head'
    this.deadlineMs = this.#deadlines.in(this.#host.limits.headTimeoutMs, this.#heads.startMs)
  }

  /** Passes body bytes on; false while the body is incomplete. */
  #receiveBody(incoming: Http1RequestBody): boolean {
    for (let received = this.#received; received !== undefined && !incoming.isFull; received = this.#received) {
      let used: number
      try {
        used = incoming.receive(received)
      } catch (error) {
        this.#failBody(incoming, asProtocolError(error))
        return true
      }
      // Whoever was given the bytes may have ended the exchange, or the connection.
      if (this.#incoming !== incoming) return true
      this.#received = used < received.length ? received.subarray(used) : undefined
      if (incoming.isComplete) {
        this.#incoming = undefined
        this.deadlineMs = Infinity
        incoming.finish()
        return true
      }
      this.deadlineMs = incoming.deadlineMs(this.#deadlines)
      if (this.#received === undefined || this.#isBodyGivenUp(incoming) || !this.#flow.mayGoOn()) break
    }
    if (this.#isBodyGivenUp(incoming)) this.#linger()
    return false
  }

  /** The rest of a body nobody reads is read for a while, then the connection is given up. */
  #isBodyGivenUp(incoming: Http1RequestBody): boolean {
    return this.#exchange?.isClosed === true && (!this.#keepAlive || incoming.isTooLongToSkip)
  }

  /** The body will not be complete; the response still can be. */
  #failBody(incoming: Http1RequestBody, error: ProtocolError): void {
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
    if (this.#requests === 1) this.#receiveShared()
    // A request that was pipelined begins at once, and whoever pipelines many is not asked for the time between them.
    if (this.#received === undefined) this.#rest()
    return true
  }

  /**
   * From the second request on: who upgrades, turns out to be HTTP/2, sends one large body or closes behind a response has mostly
   * done so with the first.
   */
  #receiveShared(): void {
    if (this.scheme !== 'http' || this.#socket.destroyed) return
    const isSet = receiveShared(this.#socket, this.#onShared)
    this.#options.onReceiving?.(isSet)
  }

  #rest(): void {
    this.#quietSinceMs = performance.now()
    // The advertised time is the client's to use; the second on top lets a request win that is on its way.
    const { keepAliveTimeoutMs } = this.#host.limits
    this.deadlineMs = this.#deadlines.in(keepAliveTimeoutMs === 0 ? 0 : keepAliveTimeoutMs + 1000, this.#quietSinceMs)
  }

  /** A request that no handler sees: answered once, as briefly as possible. */
  #refuse(error: ProtocolError): void {
    const received = this.#received
    this.#received = undefined
    this.output.writeText(encodeRefusal(error.status))
    this.#linger()
    this.#report(error.status, error.message, received)
  }

  /** The client has gone; if it was in the middle of a head, somebody may want to know. */
  #abandonHead(): void {
    const received = this.#received
    const isBeforeExchange = this.#phase === 'head' || this.#phase === 'fresh' || this.#phase === 'idle'
    if (received === undefined || !isBeforeExchange) return
    // An empty line behind a request is none (RFC 9112 §2.2).
    if (/^[\r\n]*$/.test(received.toString('latin1', 0, 8))) return
    this.#received = undefined
    this.#report(499, 'The client left before the end of the head', received)
  }

  #report(status: number, reason: string, received: Buffer | undefined): void {
    this.#host.onRefused(this.#heads.refusal(status, reason, received, this.remoteAddress))
  }

  /** Ends the connection behind what was sent. */
  #linger(): void {
    if (this.#phase === 'lingering' || this.#phase === 'upgraded' || this.#phase === 'closed') return
    this.#phase = 'lingering'
    this.#exchange = undefined
    this.#incoming = undefined
    this.#received = undefined
    this.#throttle()
    this.output.giveUp()
    this.#closing = new LingeringClose(this, this.#socket, this.#flow, this.#host.limits, this.#deadlines)
  }

  #handOver(onHttp2: (socket: Socket) => void, received: Buffer): void {
    const socket = this.#socket
    this.#phase = 'closed'
    this.#deadlines.unwatch(this)
    socket.off('error', ignore)
    this.#stopListening()
    this.#options.onClose(this)
    // The session reads the socket itself; resuming it here would lose bytes.
    socket.pause()
    socket.unshift(received)
    onHttp2(socket)
  }

  /** Nothing leads here any more from the socket, whose parts may be old, and taken to be in use for long (note 0031). */
  #stopListening(): void {
    this.#socket
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('drain', this.#onDrain)
      .off('close', this.#onClose)
  }

  /** Stops reading while what was read cannot be used. */
  #throttle(): void {
    if (this.#phase === 'upgraded') return
    const waiting = this.#incoming === undefined ? (this.#received?.length ?? 0) : 0
    const isStuck = this.#incoming?.isFull === true || waiting >= this.#host.limits.maxHeadBytes
    this.#flow.update(isStuck && this.#phase === 'exchange')
  }
}

/** A socket's `close` follows every `error` and says all that matters. */
function ignore(): void {}

function lingerIfQuiet(connection: Http1Connection): void {
  connection.lingerIfQuiet()
}

function advance(connection: Http1Connection): void {
  connection.onReadTurn()
}

function wake(exchange: Http1Exchange): void {
  exchange.onDrain()
}
