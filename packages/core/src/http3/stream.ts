import { AbortedError, ProtocolError } from '../engine/errors.ts'
import { type BufferAccount, LARGE_HEAD_BYTES } from '../engine/budget/buffer-account.ts'
import { headBytes } from '../engine/budget/request-gate.ts'
import { BodyRate } from '../engine/exchange/body-rate.ts'
import type { HasDeadline } from '../engine/event-loop/deadlines.ts'
import type { Numbered } from '../engine/collections/stream-table.ts'
import { ReceivedBody, type BodySupply } from '../engine/exchange/received-body.ts'
import { connectionTrace } from '../engine/tracing/connection-trace.ts'
import { isTraced, traceExchange } from '../engine/tracing/request-trace.ts'
import { LingerLimits } from '../engine/socket/linger-limits.ts'
import { encodeResponseHead, encodeInformational } from './response-head.ts'
import { BodyOfRead } from './body-of-read.ts'
import { ErrorCode, Http3Error } from './errors.ts'
import { Http3Exchange } from './exchange.ts'
import { Http3TunnelExchange, type TunnelResponseStream } from './tunnel-exchange.ts'
import { frameTrace } from './frames.ts'
import type { QuicRead } from './quic/quic.ts'
import type { RequestHead } from './request-head.ts'
import { RequestReader, type RequestParts } from './request-reader.ts'
import type { StreamOwner } from './stream-owner.ts'
import { StreamDeadlines } from './stream-deadlines.ts'
import { StreamOutput } from './stream-output.ts'
import { UnseenRequest } from './unseen-request.ts'

/** Bytes to read from QUIC per call. The buffer limit can be exceeded by up to this number. */
const READ_BYTES = 16 * 1024

/**
 * Runs one request stream: reads the request, passes it to the host as an `Exchange`, and sends the response.
 *
 * After the response, the stream discards the rest of the request, up to limits. RFC 9114 §4.1 permits STOP_SENDING
 * immediately, but Chromium then never shows the response.
 */
export class Http3Stream implements TunnelResponseStream, RequestParts, BodySupply, HasDeadline, Numbered {
  readonly id: number
  nextInPlace: this | undefined = undefined
  deadlineMs: number = Infinity
  watchPlace = 0
  readonly output: StreamOutput
  readonly #owner: StreamOwner<Http3Stream>
  readonly #reader: RequestReader
  readonly #unseen: UnseenRequest
  readonly #body = new BodyOfRead()
  readonly #rate: BodyRate
  readonly #times: StreamDeadlines
  #head: RequestHead | undefined = undefined
  #exchange: Http3Exchange | undefined = undefined
  #isHandedOver = false
  #isInputOver = false
  #isPaused = false
  /** Whether the rest of the request is discarded, because no handler needs it. */
  #isDiscarding = false
  /** Limits for discarding the rest of the request; `undefined` if no bytes remain. */
  #linger: LingerLimits | undefined = undefined
  #awaitsContinue = false
  /** Bytes of the request head that count until the exchange ends. */
  #countedHeadBytes = 0
  #isOver = false

  constructor(id: number, owner: StreamOwner<Http3Stream>) {
    const { deadlines, host } = owner
    this.id = id
    this.#owner = owner
    this.#reader = new RequestReader(host.limits, this, frameTrace(host.logger, id), owner.allowsTunnels)
    this.output = new StreamOutput((chunk, isEnd) => owner.quic.write(id, chunk, isEnd))
    this.#unseen = new UnseenRequest(host, owner.quic, this.#reader)
    this.#rate = new BodyRate(host.limits)
    this.#times = new StreamDeadlines(deadlines, host.limits)
    this.deadlineMs = this.#times.nextMs
    deadlines.watch(this)
  }

  get remoteAddress(): string {
    return this.#owner.quic.remoteAddress
  }
  get remotePort(): number {
    return this.#owner.quic.remotePort
  }

  /** Whether the exchange has begun but not ended. */
  get isInFlight(): boolean {
    return this.#isHandedOver && this.#exchange?.isClosed === false
  }

  get isRequestOver(): boolean {
    return this.#isInputOver
  }

  get account(): BufferAccount {
    return this.#owner.account
  }

  /** Reads the bytes of the request that have arrived. */
  onReadable(): void {
    while (!this.#isInputOver && !this.#isPaused) {
      const read = this.#owner.quic.read(this.id, READ_BYTES)
      if (read === undefined) return
      if (this.#linger !== undefined) this.#discard(read, this.#linger)
      else this.#take(read)
      this.#finishIfDone()
    }
  }

  /** Handles RESET_STREAM from the client. */
  onReset(code: number): void {
    if (this.#isOver) return
    this.#unseen.abandoned()
    this.#isInputOver = true
    this.#watchInput()
    const error = new AbortedError(`The client reset its request with code 0x${code.toString(16)}`)
    // RFC 9114 §4.1: a client can stop sending without canceling a response that has begun.
    if (this.#isDiscarding) this.#finishIfDone()
    else if (this.#exchange?.isComplete === true) this.#exchange.body.fail(error)
    else {
      this.#abort(error, ErrorCode.REQUEST_CANCELLED)
      this.#owner.onAborted()
    }
  }

  /** Handles STOP_SENDING from the client. */
  onStopped(code: number): void {
    if (this.#isOver) return
    this.#unseen.abandoned()
    const error = new AbortedError(`The client stopped the response with code 0x${code.toString(16)}`)
    this.#abort(error, ErrorCode.REQUEST_CANCELLED)
    this.#owner.onAborted()
  }

  onConnectionLost(reason: string): void {
    if (this.#isOver) return
    this.#unseen.abandoned()
    this.#isInputOver = true
    this.#abort(new AbortedError(`The connection closed: ${reason}`), ErrorCode.REQUEST_CANCELLED)
  }

  flush(): void {
    const hasProgressed = this.output.flush()
    if (this.#isOver) return
    if (this.output.bufferedBytes > 0) this.output.hold(this.#owner.account)
    this.#times.watchResponse(this.output.bufferedBytes, hasProgressed, this.#owner.quic.writtenBytes)
    this.#setDeadline()
    if (this.#exchange !== undefined) this.#exchange.onFlushed()
    else if (this.output.isEnded) this.#onResponded()
  }

  reset(): void {
    this.#abandon(ErrorCode.INTERNAL_ERROR)
  }

  cancel(): void {
    this.#abandon(ErrorCode.REQUEST_CANCELLED)
  }

  onSettled(aborted: boolean): void {
    if (this.#countedHeadBytes > 0) this.#owner.account.add(-this.#countedHeadBytes)
    // Create the error only if needed, because most requests are complete by now.
    if (aborted || !this.#isInputOver) {
      this.#exchange?.body.fail(new AbortedError('The exchange ended before the request was complete'))
    }
    if (!aborted) {
      if (this.#exchange?.status !== 503) this.#owner.gate.onServed()
      this.#onResponded()
      return
    }
    this.#abandon(ErrorCode.REQUEST_CANCELLED)
    this.#finish()
  }

  onHead(head: RequestHead): void {
    this.#head = head
    this.#awaitsContinue = head.expectsContinue
    this.#watchInput()
  }

  onBody(slice: Uint8Array): void {
    // A client that sends its body without waiting does not need 100 (Continue).
    this.#awaitsContinue = false
    if (!this.#isTunnel) this.#rate.add(slice.byteLength)
    this.#body.add(slice)
  }

  onWanted(): void {
    if (this.#awaitsContinue && this.#exchange?.status === 0 && !this.#isOver) {
      this.output.push(encodeInformational(100, []))
      this.flush()
    }
    this.#awaitsContinue = false
    this.#watchInput()
  }

  onFull(): void {
    this.#isPaused = true
    this.#owner.quic.pauseReading(this.id)
    this.#watchInput()
  }

  onHeld(difference: number, isReceived: boolean): void {
    this.#owner.account.onBodyHeld(difference, isReceived)
  }

  onFault(error: unknown): void {
    this.#exchange?.abort(error instanceof Error ? error : undefined)
  }

  onRoom(): void {
    this.#rate.restart()
    this.#isPaused = false
    this.#owner.quic.resumeReading(this.id)
    this.#watchInput()
  }

  onDeadline(): void {
    if (this.#times.isOutputTimedOut) {
      this.#abort(new AbortedError('The client stopped reading the response'), ErrorCode.REQUEST_CANCELLED)
      return
    }
    if (this.#isDiscarding) {
      this.#stopInput(ErrorCode.NO_ERROR)
      this.#finishIfDone()
      return
    }
    const part = this.#isHandedOver ? 'body' : 'head'
    this.#refuse(new ProtocolError(408, `Request ${part} took too long`, 'stream'))
  }

  #take({ chunk, isEnd }: QuicRead): void {
    try {
      this.#reader.push(chunk)
      this.#passBody()
      if (isEnd) this.#onEnd()
    } catch (error) {
      this.#body.clear()
      this.#onReadingFailed(error)
      return
    }
    this.#handOver()
  }

  #passBody(): void {
    if (this.#body.isEmpty) return
    const body = this.#begin()?.body
    body?.push(this.#body.take(!body.isFlowing))
    this.#watchInput()
  }

  /** Finishes a complete request. */
  #onEnd(): void {
    const trailers = this.#reader.end()
    this.#isInputOver = true
    this.#watchInput()
    const exchange = this.#begin()
    exchange?.body.finish(trailers)
    // A tunnel whose response has ended is now complete.
    if (this.output.isEnded) exchange?.onFlushed()
  }

  #begin(): Http3Exchange | undefined {
    const head = this.#head
    if (this.#exchange !== undefined || head === undefined) return this.#exchange
    const length = head.contentLength ?? (this.#isInputOver ? 0 : undefined)
    const body = new ReceivedBody(length, this.#owner.host.limits.maxBufferedBodyBytes, this)
    const exchange = this.#isTunnel ? new Http3TunnelExchange(this, head, body) : new Http3Exchange(this, head, body)
    if (isTraced()) {
      // RFC 9000 §2.1: a client opens its request streams in the order of their IDs, in steps of four.
      const nth = this.id / 4 + 1
      exchange.trace = traceExchange(this.#unseen.startMs, connectionTrace(this.#owner.quic, 'HTTP/3.0'), this.id, nth)
    }
    return (this.#exchange = exchange)
  }

  /**
   * Passes the exchange to the host after the whole read has been processed. Only then is it known whether a body
   * follows.
   */
  #handOver(): void {
    if (this.#isHandedOver) return
    const exchange = this.#begin()
    if (exchange === undefined) return
    this.#isHandedOver = true
    const bytes = headBytes(exchange)
    if (bytes >= LARGE_HEAD_BYTES) {
      this.#countedHeadBytes = bytes
      this.#owner.account.add(bytes)
    }
    this.#owner.gate.begin(exchange, this.#countedHeadBytes)
  }

  #onReadingFailed(error: unknown): void {
    if (error instanceof ProtocolError) this.#refuse(error)
    else if (!(error instanceof Http3Error)) throw error
    else {
      if (!this.#isHandedOver) this.#unseen.refused(0, error.message)
      if (error.scope === 'connection') this.#owner.onConnectionError(error)
      else this.#abort(new ProtocolError(400, error.message, 'stream'), error.code)
    }
  }

  /** Refuses the rest of the request. If a handler has already received the request, it can still respond. */
  #refuse(error: ProtocolError): void {
    if (this.#isHandedOver) {
      this.#stopInput(ErrorCode.NO_ERROR)
      this.#exchange?.body.fail(error)
      return
    }
    this.#exchange = undefined
    this.#startDiscarding()
    this.#unseen.refused(error.status, error.message)
    const head = { fields: [], contentLength: 0, allowsBody: true, close: false, hasDate: false }
    this.output.push(encodeResponseHead(error.status, head))
    this.output.end()
    this.flush()
  }

  /** Discards the rest of the request after QUIC has accepted the response. */
  #onResponded(): void {
    if (!this.#isDiscarding) this.#startDiscarding()
    // A handler can read the bytes of a tunnel after both directions have ended.
    if (this.#exchange?.isTunnel !== true) this.#exchange?.body.discard()
    // Notify a client that is waiting for 100 (Continue) that the body is not needed.
    if (this.#awaitsContinue) this.#stopInput(ErrorCode.NO_ERROR)
    this.#watchInput()
    this.#finishIfDone()
  }

  #startDiscarding(): void {
    this.#isDiscarding = true
    if (this.#isInputOver) return
    this.#linger = new LingerLimits(this.#owner.host.limits, this.#owner.deadlines)
    this.#linger.start()
  }

  #discard({ chunk, isEnd }: QuicRead, linger: LingerLimits): void {
    const canContinue = linger.add(chunk.byteLength)
    if (isEnd) this.#isInputOver = true
    else if (!canContinue) this.#stopInput(ErrorCode.NO_ERROR)
    this.#watchInput()
  }

  /** Aborts the stream and the exchange. */
  #abort(error: Error, code: ErrorCode): void {
    this.#abandon(code)
    const exchange = this.#isHandedOver ? this.#exchange : undefined
    exchange?.body.fail(error)
    exchange?.onAborted()
    this.#finish()
  }

  #abandon(code: ErrorCode): void {
    this.output.clear()
    this.#stopInput(code)
    this.#owner.quic.reset(this.id, code)
  }

  #stopInput(code: ErrorCode): void {
    if (this.#isInputOver) return
    this.#isInputOver = true
    this.#watchInput()
    this.#owner.quic.stopSending(this.id, code)
  }

  /** Ends the stream when both the response and the request have ended. */
  #finishIfDone(): void {
    if (this.#isDiscarding && this.#isInputOver && this.output.isEnded) this.#finish()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#owner.deadlines.unwatch(this)
    this.#owner.onStreamOver(this)
  }

  /** Whether the request is an extended CONNECT. Its client can wait as long as it wants. */
  get #isTunnel(): boolean {
    return this.#head?.protocol !== undefined
  }

  /** Starts or stops the body deadline, depending on the request's state. */
  #watchInput(): void {
    const isWaiting = !this.#isInputOver && !this.#isPaused && !this.#awaitsContinue && !this.#isDiscarding
    this.#times.watchBody(isWaiting && !this.#isTunnel)
    this.#setDeadline()
  }

  #setDeadline(): void {
    const lingerMs = this.#isInputOver ? Infinity : (this.#linger?.deadlineMs ?? Infinity)
    this.deadlineMs = Math.min(this.#times.nextMs, lingerMs)
  }
}
