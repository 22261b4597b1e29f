import { CLIENT_LEFT, AbortedError, asProtocolError, ProtocolError } from '../engine/errors.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import { beginRequest } from '../engine/exchange/begin-request.ts'
import { runOutsideRequests } from '../engine/event-loop/outside-requests.ts'
import { copyBytes, joinBytes } from '../engine/socket/kept-bytes.ts'
import type { FlowOwner, ReadFlow } from '../engine/socket/read-flow.ts'
import { connectionTrace } from '../engine/tracing/connection-trace.ts'
import { traceExchange } from '../engine/tracing/request-trace.ts'
import type { Transport } from '../engine/transport.ts'
import type { Http1ConnectionOptions, Phase } from './connection-options.ts'
import { Http1Exchange, type Http1ExchangeOwner } from './exchange.ts'
import { HeadReader } from './head-reader.ts'
import { Http1RequestBody, type Http1BodyOwner } from './request-body.ts'
import type { RequestHead } from './request-head.ts'
import { encodeRefusal, type ConnectionFields } from './response-head.ts'

/** A cycle's connection. */
export interface CycleOwner extends Http1ExchangeOwner, FlowOwner {
  /** The connection's deadline. The cycle sets it for heads, bodies and idle time. */
  deadlineMs: number
  /** Ends the connection after the bytes written so far. */
  linger(): void
  /** Ends the connection when the requests received before the peer's end have been served. */
  onPeerEnd(): void
}

/**
 * Serves the requests of one connection one after the other. Parses received bytes into a head and a body, and starts
 * an exchange for them.
 *
 * A pipelined request waits until the previous response is complete, so responses never overtake each other. When many
 * requests are waiting, the server stops reading.
 */
// docs/decisions/0001
export class RequestCycle implements Http1BodyOwner {
  phase: Phase = 'fresh'
  /** Received bytes that have not been parsed. */
  received: Buffer | undefined = undefined
  /** Whether another request can follow the current one. */
  keepAlive = true
  /** Whether the peer has ended its direction. */
  hasPeerEnded = false
  /** Time at which the connection last became idle. */
  quietSinceMs: number = performance.now()
  /** Time of the last read; 0 while requests are not traced. */
  readMs = 0
  readonly #owner: CycleOwner
  readonly #transport: Transport
  readonly #flow: ReadFlow
  readonly #options: Http1ConnectionOptions
  readonly #host: EngineHost
  readonly #deadlines: Deadlines
  readonly #heads: HeadReader
  #exchange: Http1Exchange | undefined = undefined
  /** The body of the exchange, until its last byte has arrived. */
  #incoming: Http1RequestBody | undefined = undefined
  #requests = 0
  #isAdvancing = false
  /** Bytes in `received` that the account counts. */
  #countedBytes = 0

  constructor(owner: CycleOwner, transport: Transport, flow: ReadFlow, options: Http1ConnectionOptions) {
    this.#owner = owner
    this.#transport = transport
    this.#flow = flow
    this.#options = options
    this.#host = options.host
    this.#deadlines = options.deadlines
    this.#heads = new HeadReader(options.host.limits)
  }

  /** The request in progress, if there is one. */
  get exchange(): Http1Exchange | undefined {
    return this.#exchange
  }

  /** Whether no request is in progress and no part of one has arrived. */
  get isQuiet(): boolean {
    return (this.phase === 'fresh' || this.phase === 'idle') && !this.#flow.isResting
  }

  /** Appends received bytes, and returns all bytes that have not been parsed. */
  add(bytes: Buffer): Buffer {
    return (this.received = this.received === undefined ? bytes : joinBytes(this.received, bytes))
  }

  /** Copies unparsed bytes if they are lent, because the next read of any connection overwrites them. */
  keepReceived(): void {
    const { received } = this
    if (received !== undefined && this.isLent(received)) this.received = copyBytes(received, 0, received.length)
  }

  /** Drops received bytes and stops counting them, because another owner has taken them. */
  release(): void {
    this.received = undefined
    if (this.#countedBytes > 0) this.#count(0)
  }

  /** Processes received bytes until more bytes or the end of a response are needed. */
  advance(): void {
    if (this.#isAdvancing || this.#flow.isResting) return
    this.#isAdvancing = true
    while (this.phase !== 'lingering' && this.phase !== 'upgraded' && this.phase !== 'closed') {
      if (this.#exchange === undefined) {
        if (this.received === undefined) {
          this.#flow.onEmpty()
          break
        }
        const exchange = this.#begin(this.received)
        if (exchange === undefined) break
        beginRequest(this.#host, exchange, this.received === undefined)
      }
      if (this.#incoming !== undefined && !this.#receiveBody(this.#incoming)) break
      if (this.#exchange === undefined || !this.#exchange.isClosed || !this.#next()) break
    }
    this.#isAdvancing = false
    this.#throttle()
    if (this.hasPeerEnded) this.#owner.onPeerEnd()
  }

  /** Fails a request that took too long, or closes an idle connection. */
  onTimeout(): void {
    const incoming = this.#incoming
    if (this.phase === 'exchange' && incoming !== undefined)
      this.#failBody(incoming, new ProtocolError(408, 'Request body took too long'))
    else if (this.phase === 'head') this.#refuse(new ProtocolError(408, 'Request head took too long'))
    else if (this.phase === 'idle') this.#owner.linger()
    else if (this.phase === 'fresh') this.#transport.destroy()
  }

  /** Drops received bytes. The connection ends after the bytes written so far. */
  stop(): void {
    this.phase = 'lingering'
    this.received = undefined
    this.#exchange = undefined
    this.#incoming = undefined
    this.#throttle()
  }

  /** Ends the request in progress, if any, because the connection is closed. */
  close(): void {
    this.phase = 'closed'
    this.received = undefined
    this.#incoming = undefined
    this.#exchange?.onConnectionLost(new AbortedError('The connection was closed'))
    this.#exchange = undefined
  }

  /** Reports an incomplete head whose client has disconnected. */
  abandonHead(): void {
    const { received } = this
    const isBeforeExchange = this.phase === 'head' || this.phase === 'fresh' || this.phase === 'idle'
    if (received === undefined || !isBeforeExchange) return
    // RFC 9112 §2.2: an empty line after a request is not a request.
    if (/^[\r\n]*$/.test(received.toString('latin1', 0, 8))) return
    this.received = undefined
    this.#report(CLIENT_LEFT, 'The client disconnected before the end of the head', received)
  }

  /**
   * Returns the connection fields for the next response.
   *
   * @param close Whether the response must be the last one
   */
  connectionFields(close: boolean): ConnectionFields {
    const { limits, altSvc } = this.#host
    if (close || this.#incoming?.endsConnection) this.keepAlive = false
    return {
      keepAlive: this.keepAlive,
      keepAliveSeconds: Math.floor(limits.keepAliveTimeoutMs / 1000),
      altSvc,
    }
  }

  onComplete(exchange: Http1Exchange): void {
    // A client that first sends its whole body reads the response only after the server has read the body.
    if (exchange === this.#exchange) this.#incoming?.body.discard()
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
      if (this.#exchange?.status === 0) this.#owner.output.writeText('HTTP/1.1 100 Continue\r\n\r\n')
    }
    this.#owner.deadlineMs = receiver.deadlineMs(this.#deadlines)
  }

  onBodyFlow(receiver: Http1RequestBody): void {
    if (receiver !== this.#incoming) return
    this.#owner.deadlineMs = receiver.deadlineMs(this.#deadlines)
    if (!receiver.isFull) this.#advanceOutside()
  }

  onBodyHeld(difference: number, isReceived: boolean): void {
    this.#owner.output.account.onBodyHeld(difference, isReceived)
  }

  onBodyFault(receiver: Http1RequestBody): void {
    if (this.#exchange?.body === receiver.body) this.#exchange.abort()
  }

  isLent(bytes: Uint8Array): boolean {
    return this.#transport.isLent(bytes)
  }

  /**
   * Calls `advance` outside the current request's asynchronous context, because the next request must not start in it.
   */
  #advanceOutside(): void {
    if (this.received === undefined || this.#isAdvancing) this.advance()
    else runOutsideRequests(advance, this.#owner)
  }

  /** Starts the next request if its head is complete. */
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
    this.received = head.end < received.length ? received.subarray(head.end) : undefined
    this.phase = 'exchange'
    this.#requests++
    this.#flow.addRequest()
    this.keepAlive &&= head.fields.keepAlive && this.#requests !== limits.maxRequestsPerConnection
    // RFC 9931: the following bytes can be tunnel data, even though the server opens no tunnel.
    if (head.method === 'CONNECT') this.keepAlive = false
    this.#incoming = Http1RequestBody.of(this, head, limits, this.#deadlines, this.#heads.startMs)
    this.#owner.deadlineMs = this.#incoming?.deadlineMs(this.#deadlines) ?? Infinity
    const exchange = new Http1Exchange(this.#owner, head, this.#incoming?.body)
    if (this.readMs > 0) {
      const connection = connectionTrace(this.#transport, 'HTTP/1.1')
      exchange.trace = traceExchange(this.#heads.startMs ?? this.readMs, connection, undefined, this.#requests)
    }
    return (this.#exchange = exchange)
  }

  #awaitHead(): undefined {
    if (this.phase === 'head') return
    // RFC 9112 §2.2: an empty line is not a request. The client would mistake a response to it for the response to its
    // next request.
    if (this.#heads.startMs === undefined) {
      if (this.#owner.deadlineMs === Infinity) this.#rest()
      return
    }
    this.phase = 'head'
    this.#owner.deadlineMs = this.#deadlines.in(this.#host.limits.headTimeoutMs, this.#heads.startMs)
  }

  /** Passes received bytes to the body. @returns False while the body is incomplete */
  #receiveBody(incoming: Http1RequestBody): boolean {
    for (let { received } = this; received !== undefined && !incoming.isFull; received = this.received) {
      let used: number
      try {
        used = incoming.receive(received)
      } catch (error) {
        this.#failBody(incoming, asProtocolError(error))
        return true
      }
      // The consumer of the body can end the exchange or the connection.
      if (this.#incoming !== incoming) return true
      this.received = used < received.length ? received.subarray(used) : undefined
      if (incoming.isComplete) {
        this.#incoming = undefined
        this.#owner.deadlineMs = Infinity
        incoming.finish()
        return true
      }
      this.#owner.deadlineMs = incoming.deadlineMs(this.#deadlines)
      if (this.received === undefined || this.#isBodyGivenUp(incoming) || !this.#flow.mayContinue()) break
    }
    if (this.#isBodyGivenUp(incoming)) this.#owner.linger()
    return false
  }

  /** Reports whether to end the connection instead of reading the rest of a discarded body. */
  #isBodyGivenUp(incoming: Http1RequestBody): boolean {
    return this.#exchange?.isClosed === true && (!this.keepAlive || incoming.isTooLongToSkip)
  }

  /** Ends a body early. The exchange can still send its response. */
  #failBody(incoming: Http1RequestBody, error: ProtocolError): void {
    this.#incoming = undefined
    this.received = undefined
    this.keepAlive = false
    this.#owner.deadlineMs = Infinity
    incoming.body.fail(error)
    if (this.#exchange?.isClosed) this.#owner.linger()
  }

  /** Ends a request whose response and body are complete. @returns False if the connection ends here */
  #next(): boolean {
    if (this.phase === 'closed') return false
    this.#exchange = undefined
    if (!this.keepAlive) {
      this.#owner.linger()
      return false
    }
    this.phase = 'idle'
    if (this.#requests === 1) this.#lendReads()
    // A pipelined request starts immediately, so the connection is not idle.
    if (this.received === undefined) this.#rest()
    return true
  }

  /**
   * Reads into shared memory after the first request. Most connections that upgrade, switch to HTTP/2, send one large
   * body or close do so on that first request.
   */
  #lendReads(): void {
    if (this.#transport.isEncrypted || this.#transport.isDestroyed) return
    const isLending = this.#transport.lendReads()
    this.#options.onReceiving?.(isLending)
  }

  #rest(): void {
    this.quietSinceMs = performance.now()
    // The client can use all of the advertised time. One more second covers a request sent just before that time ends.
    const { keepAliveTimeoutMs } = this.#host.limits
    const timeoutMs = keepAliveTimeoutMs === 0 ? 0 : keepAliveTimeoutMs + 1000
    this.#owner.deadlineMs = this.#deadlines.in(timeoutMs, this.quietSinceMs)
  }

  /** Sends a minimal response to a rejected request, and ends the connection. */
  #refuse(error: ProtocolError): void {
    const { received } = this
    this.received = undefined
    this.#owner.output.writeText(encodeRefusal(error.status))
    this.#owner.linger()
    this.#report(error.status, error.message, received)
    if (this.#requests === 0 && received !== undefined) this.#options.onRefusedStart?.(received, this.#transport)
  }

  #report(status: number, reason: string, received: Buffer | undefined): void {
    this.#host.onRefused(this.#heads.refusal(status, reason, received, this.#owner.remoteAddress))
  }

  /** Stops reading while received bytes cannot be processed. */
  #throttle(): void {
    if (this.phase === 'upgraded') return
    const held = this.received?.length ?? 0
    if (held !== this.#countedBytes) this.#count(held)
    const waiting = this.#incoming === undefined ? held : 0
    const isStuck = this.#incoming?.isFull === true || waiting >= this.#host.limits.maxHeadBytes
    this.#flow.update(isStuck && this.phase === 'exchange')
  }

  /** Counts the bytes that are waiting for the rest of a head or for the previous response. */
  #count(held: number): void {
    this.#owner.output.account.onReceived(held - this.#countedBytes)
    this.#countedBytes = held
  }
}

function advance(owner: CycleOwner): void {
  owner.onReadTurn()
}
