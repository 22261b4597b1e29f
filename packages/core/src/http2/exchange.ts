import type { ExchangeTrace, FieldList, RequestHeaders } from '@fw/types'
import { AbortedError, type ProtocolError } from '../engine/errors.ts'
import { type BufferAccount, LARGE_HEAD_BYTES } from '../engine/budget/buffer-account.ts'
import { SocketExchange, type SocketPeer } from '../engine/exchange/socket-exchange.ts'
import { QueuedText } from '../engine/budget/queued-text.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Limits } from '../options/limits.ts'
import { responsePriority, type Priority } from '../engine/fields/priority.ts'
import { emptyBody, type ReceivedBody } from '../engine/exchange/received-body.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { traceFlushed } from '../engine/tracing/request-trace.ts'
import { QueuedResponse } from './sending/queued-response.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { DEFAULT_FRAME_BYTES, MAX_WINDOW } from './frames/frame-types.ts'
import { Http2RequestBody, type Http2BodyOwner } from './request-body.ts'
import type { Http2RequestHead } from './request-head.ts'
import type { SendingStream } from './sending/sender.ts'
import type { SpareWindow } from './receive-windows.ts'
import type { StreamOwner } from './stream-owner.ts'
import type { Numbered } from '../engine/collections/stream-table.ts'

/** Maximum size of a complete body, in bytes, that is written immediately after its head. */
const TEXT_BYTES = 4 * 1024
/** Maximum size, in bytes, of a piece of a streamed response that is sent without queueing. It fits in one frame. */
const PART_BYTES: number = DEFAULT_FRAME_BYTES

/** Exchanges one request and its response on an HTTP/2 stream. */
export class Http2Exchange extends SocketExchange implements Http2BodyOwner, SendingStream, Numbered {
  readonly protocol = 'HTTP/2.0'
  readonly id: number
  priority: Priority
  /** Time at which `onDeadline` is due. */
  deadlineMs: number = Infinity
  nextInPlace: this | undefined = undefined
  isQueued = false
  readonly #owner: StreamOwner<Http2Exchange>
  readonly #head: Http2RequestHead
  /** Request body; `undefined` if the request ended with its head. */
  readonly #requestBody: Http2RequestBody | undefined
  /** Empty body of a request that ended with its head, created on first access. */
  #body: ReceivedBody | undefined = undefined
  /** Flow-control window of the stream, in bytes. */
  #window: number
  /** Content that could not be sent immediately. */
  #queue: QueuedResponse | undefined = undefined
  #trailers: FieldList | undefined = undefined
  /** Whether END_STREAM was sent. */
  #isSent = false
  /** Value of `Output.writtenBytes` at which the connection holds no bytes of this body. */
  #heldUntil = 0

  /** @param window Initial flow-control window, in bytes */
  constructor(
    owner: StreamOwner<Http2Exchange>,
    id: number,
    head: Http2RequestHead,
    priority: Priority,
    hasBody: boolean,
    window: number,
  ) {
    super()
    this.#owner = owner
    this.id = id
    this.#head = head
    this.priority = priority
    this.#window = window
    this.#requestBody = hasBody ? new Http2RequestBody(this, head) : undefined
  }

  get method(): string {
    return this.#head.method
  }
  get target(): string {
    return this.#head.target
  }
  get authority(): string {
    return this.#head.authority
  }
  get headers(): RequestHeaders {
    return this.#head.headers
  }
  get scheme(): 'http' | 'https' {
    return this.#owner.scheme
  }
  protected get peer(): SocketPeer {
    return this.#owner
  }
  get limits(): Limits {
    return this.#owner.host.limits
  }
  get deadlines(): Deadlines {
    return this.#owner.deadlines
  }
  get spareWindow(): SpareWindow {
    return this.#owner.spareWindow
  }
  get body(): ReceivedBody {
    // Created on first access, because most handlers do not access an empty body.
    return this.#requestBody?.body ?? (this.#body ??= emptyBody())
  }
  /** Bytes of the request head, as the account counts them. */
  get countedHeadBytes(): number {
    return this.#head.bytes < LARGE_HEAD_BYTES ? 0 : this.#head.bytes
  }
  get bufferedBytes(): number {
    const queued = this.queuedBytes
    const held = this.#heldUntil - this.#owner.sender.writer.takenBytes
    // The held bytes can include frames on other streams.
    return held <= 0 ? queued : queued + Math.min(held, this.bodyBytes - queued)
  }
  /** Body bytes that are queued and not yet written to the connection. */
  get queuedBytes(): number {
    return this.#queue?.bytes ?? 0
  }
  get canSend(): boolean {
    return this.#window > 0 && this.queuedBytes > 0
  }
  /** The request body, while it is incomplete. */
  get openBody(): Http2RequestBody | undefined {
    return this.#requestBody?.isComplete === false ? this.#requestBody : undefined
  }
  protected get isBlocked(): boolean {
    return this.queuedBytes > 0 || this.#owner.sender.isBlocked
  }

  /** Reports whether the queued bytes fit in the windows. @param window The connection's window, in bytes */
  fits(window: number): boolean {
    return this.queuedBytes <= Math.min(window, Math.max(this.#window, 0))
  }

  override drained(): Promise<void> {
    const promise = super.drained()
    // Other streams can have filled the socket after it accepted all bytes from this stream.
    if (!this.isClosed && this.isBlocked) this.#awaitDrain()
    return promise
  }

  /** Completes the request. @throws {StreamError} PROTOCOL_ERROR if there is less content than announced */
  onRequestEnd(trailers: FieldList): void {
    this.#requestBody?.onEnd(trailers)
    // A response without a body is sent with its head, before the application ends it.
    if (this.#isSent && (this.isComplete || this.isTunnel)) this.onResponseSent()
  }

  /** Fails the request body with an error that the handler can still answer, such as 431 for trailers. */
  onRequestRefused(error: ProtocolError): void {
    this.#requestBody?.body.fail(error)
  }

  /**
   * Changes the window by `bytes`, which SETTINGS can make negative.
   *
   * @throws {ConnectionError} if the window exceeds 2^31-1
   */
  widen(bytes: number): void {
    if (this.#window + bytes > MAX_WINDOW) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'Stream window above 2^31-1')
    }
    this.#window += bytes
    if (this.canSend) this.#owner.sender.enqueue(this)
  }

  sendFrame(maxBytes: number): number {
    const queue = this.#queue
    // The connection accepts more, so it has sent the earlier frames.
    queue?.settle()
    const slice = queue?.take(Math.min(maxBytes, this.#window))
    if (queue === undefined || slice === undefined) return 0
    const isLast = queue.isEnding && queue.bytes === 0
    this.#window -= slice.byteLength
    this.#owner.sender.writer.data(this.id, slice, isLast && this.#trailers === undefined)
    this.#heldUntil = this.#owner.sender.writer.writtenBytes
    if (queue.onSent(slice.byteLength)) this.#setDeadline()
    if (isLast) this.#finish()
    else if (queue.bytes === 0) this.#awaitDrain()
    return slice.byteLength
  }

  onRoom(): void {
    this.#queue?.settle()
    if (this.#isSent) this.settle(false)
    else this.#awaitDrain()
  }

  /** Called when the stream has ended, completely or by a reset. */
  onStreamOver(): void {
    this.#owner.sender.forget(this)
    this.#requestBody?.onStreamOver()
  }

  /** Aborts the exchange, because its stream or connection has ended. */
  onLost(error: Error): void {
    this.#queue?.clear()
    // Settle first, because the body's reader can try to respond when it receives the error.
    super.settle(true)
    this.#setDeadline()
    this.#requestBody?.onClosed(error)
    this.#body?.fail(error)
  }

  onDeadline(): void {
    const nowMs = performance.now()
    if (this.#outputDeadlineMs <= nowMs) {
      if (this.#window > 0) {
        // Other streams have precedence, or the socket is blocked. `OutputWatch` detects a blocked socket.
        this.#queue?.rate.restart()
        this.#setDeadline()
      } else {
        this.#owner.resetStream(this, ErrorCode.CANCEL)
        this.onLost(new AbortedError('The client stopped reading the response'))
      }
      return
    }
    if ((this.#requestBody?.deadlineMs ?? Infinity) <= nowMs) this.#requestBody?.onDeadline()
    else this.#setDeadline()
  }

  onHeld(difference: number, isReceived: boolean): void {
    this.#owner.account.onBodyHeld(difference, isReceived)
  }

  watchSoon(): void {
    this.#owner.watchSoon(this)
  }

  /** Starts or restarts the timeouts of an incomplete request body. */
  watchBody(nowMs: number): void {
    if (!this.isClosed) this.#requestBody?.watch(nowMs)
  }

  onBodyDeadline(): void {
    this.#setDeadline()
  }

  /** Resets the stream with NO_ERROR. RFC 9113 §8.1: an early response ends the request without an error. */
  stopRequest(): void {
    this.#owner.resetStream(this, ErrorCode.NO_ERROR)
  }

  sendContinue(): void {
    if (this.status !== 0 || this.isClosed) return
    this.#owner.responseFields.informational(this.id, 100, [])
  }

  credit(bytes: number): void {
    const { writer } = this.#owner.sender
    writer.windowUpdate(this.id, bytes)
    writer.flushSoon()
  }

  protected override accountBeyond(minBytes: number): BufferAccount | undefined {
    const mayPass = minBytes <= this.#window && this.#owner.sender.mayPass(minBytes)
    return mayPass ? undefined : this.#owner.account
  }

  protected override sendInformational(status: number, fields: FieldList): void {
    this.#owner.responseFields.informational(this.id, status, fields)
  }

  protected override sendResponse(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    const { responseFields, sender } = this.#owner
    const { writer } = sender
    const length = this.bodyBytes
    const mayPass = length <= this.#window && sender.mayPass(length)
    if (!mayPass && body !== null && !this.#owner.account.admits(body, length)) return this.sendOverloaded()
    responseFields.head(this.id, status, head, body === null)
    writer.hold()
    if (body === null) this.#finish()
    else if (mayPass && length <= TEXT_BYTES) {
      // Text with as many bytes as characters is ASCII and needs no encoding.
      if (typeof body === 'string' && body.length === length) writer.lastText(this.id, body)
      else writer.data(this.id, typeof body === 'string' ? Buffer.from(body) : body, true)
      this.#window -= length
      sender.passed(length)
      this.#finish()
    } else {
      this.priority = responsePriority(head.fields, this.priority)
      const queue = this.#beginQueue()
      queue.isEnding = true
      queue.push(typeof body === 'string' ? new QueuedText(body, length) : body)
      this.#enqueue()
      // A client that first sends its whole body reads the response only if its own window grows.
      if (this.queuedBytes > 0) this.openBody?.body.discard()
    }
  }

  protected override sendHead(status: number, head: ResponseHead): void {
    const { responseFields, sender } = this.#owner
    responseFields.head(this.id, status, head, !head.allowsBody)
    sender.writer.flushSoon()
    // The response is complete. Later writes by the application are ignored.
    if (!head.allowsBody) this.#isSent = true
    else this.priority = responsePriority(head.fields, this.priority)
  }

  protected override sendData(chunk: Uint8Array): boolean {
    if (this.#isSent) return true
    const { sender } = this.#owner
    const { byteLength } = chunk
    if (this.queuedBytes === 0 && byteLength <= Math.min(this.#window, PART_BYTES) && sender.mayPass(byteLength)) {
      this.#window -= byteLength
      sender.writer.data(this.id, chunk, false)
      this.#heldUntil = sender.writer.writtenBytes
      sender.passed(byteLength)
      sender.writer.flushSoon()
    } else if (this.#owner.account.admitsPart(chunk)) {
      this.#beginQueue().push(chunk)
      this.#enqueue()
    } else this.abort()
    if (!this.isBlocked || this.isClosed) return true
    this.#awaitDrain()
    return false
  }

  protected override sendEnd(trailers: FieldList): void {
    if (trailers.length > 0) this.#trailers = trailers
    if (this.queuedBytes > 0) {
      this.#beginQueue().isEnding = true
      this.openBody?.body.discard()
      return
    }
    const { writer } = this.#owner.sender
    // Without trailers this is an empty DATA frame with END_STREAM, which needs no window.
    if (!this.#isSent && this.#trailers === undefined) writer.data(this.id, NOTHING, true)
    this.#finish()
    writer.flushSoon()
  }

  protected override sendReset(): void {
    this.#queue?.clear()
    this.#owner.resetStream(this, this.isTunnel ? ErrorCode.CANCEL : ErrorCode.INTERNAL_ERROR)
  }

  protected override awaitFlush(trace: ExchangeTrace): void {
    this.#owner.sender.writer.whenSent(() => traceFlushed(trace))
  }

  protected override settle(aborted: boolean): void {
    if (this.isClosed) return
    super.settle(aborted)
    this.#setDeadline()
    // A tunnel delivers what it has received after both directions have ended.
    if (!this.isTunnel || this.#requestBody?.isComplete === false) this.#requestBody?.body.discard()
  }

  /** Completes the stream, or discards the rest of the request. */
  protected onResponseSent(): void {
    if (this.openBody === undefined) this.#owner.onComplete(this)
    // RFC 9113 §8.1 permits RST_STREAM here, but some clients lose a response that it follows immediately.
    else this.openBody.linger()
  }

  /** Time by which the client must read more of the response. */
  get #outputDeadlineMs(): number {
    return this.#queue?.rate.deadlineMs ?? Infinity
  }

  #beginQueue(): QueuedResponse {
    return (this.#queue ??= new QueuedResponse(this.deadlines, this.limits))
  }

  #enqueue(): void {
    this.#owner.sender.enqueue(this)
    if (this.#queue === undefined || this.#queue.bytes === 0) return
    this.#queue.await(this.#owner.account)
    this.#setDeadline()
  }

  /** Ends the response after its last body byte. Sends the trailers, and completes or drains the request. */
  #finish(): void {
    if (this.#trailers !== undefined && !this.#isSent) this.#owner.responseFields.trailers(this.id, this.#trailers)
    this.#isSent = true
    this.#queue?.rate.stop()
    this.#setDeadline()
    if (this.#owner.sender.isBlocked) this.#owner.sender.awaitRoom(this)
    else this.onRoom()
    this.onResponseSent()
  }

  /** Wakes the writer when the connection has room. */
  #awaitDrain(): void {
    if (this.queuedBytes > 0) return
    if (this.isBlocked) return this.#owner.sender.awaitRoom(this)
    this.#queue?.settle()
    this.wake()
  }

  #setDeadline(): void {
    const outputMs = this.isClosed ? Infinity : this.#outputDeadlineMs
    this.deadlineMs = Math.min(this.openBody?.deadlineMs ?? Infinity, outputMs)
    this.#owner.onDeadlineSet(this.deadlineMs)
  }
}

const NOTHING = new Uint8Array()
