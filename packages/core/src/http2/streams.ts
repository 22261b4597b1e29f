import type { FieldList, Refusal } from '@fw/types'
import { AbortedError, ProtocolError } from '../engine/errors.ts'
import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import { RequestGate } from '../engine/budget/request-gate.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import { parsePriority } from '../engine/fields/priority.ts'
import { StreamTable } from '../engine/collections/stream-table.ts'
import { ResponseFields } from './response-head.ts'
import { ConnectionError, ErrorCode, StreamError } from './errors.ts'
import { FloodLimits } from './flood-limits.ts'
import { Http2Exchange } from './exchange.ts'
import type { FieldSection } from './hpack/field.ts'
import { RequestDecoder } from './request-decoder.ts'
import { http2Trailers, refusedRequestLine, type Http2RequestHead } from './request-head.ts'
import type { Sender } from './sending/sender.ts'
import type { ClientSettings } from './frames/settings.ts'
import { SpareWindow } from './receive-windows.ts'
import { StreamHistory } from './stream-history.ts'
import type { StreamOwner } from './stream-owner.ts'
import { StreamPriorities } from './stream-priorities.ts'

/**
 * Streams that we reset and that are remembered, at least. Clients open up to about a thousand before they know how many
 * may be open.
 */
const REMEMBERED_RESETS = 1024

/** What streams need of the connection they are on. */
export interface StreamsOwner {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly sender: Sender
  readonly clientSettings: ClientSettings
  /** Whether the client knows the limits it was sent. */
  readonly isAcknowledged: boolean
  /** Counts the bytes that are held for the connection; made on first access. */
  readonly account: BufferAccount
  /** The account, if it was made. */
  readonly knownAccount: BufferAccount | undefined
  onDeadlineSet(deadlineMs: number): void
  /** The first stream was opened. */
  onBusy(): void
  /** No stream is open any more. */
  onIdle(): void
}

/**
 * The streams of a connection: which there are, and what a frame means to the one it is about.
 *
 * @see RFC 9113 §5.1
 */
export class Http2Streams implements StreamOwner<Http2Exchange> {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly sender: Sender
  readonly responseFields: ResponseFields
  readonly spareWindow: SpareWindow = new SpareWindow()
  readonly #owner: StreamsOwner
  readonly #open = new StreamTable<Http2Exchange>()
  readonly #history: StreamHistory
  readonly #priorities = new StreamPriorities()
  readonly #decoder: RequestDecoder
  readonly #floodLimits: FloodLimits
  readonly #gate: RequestGate
  /** Those whose content the clock must be told of. */
  #noted: Http2Exchange[] = []
  constructor(owner: StreamsOwner) {
    const { host, deadlines, sender } = owner
    this.#owner = owner
    this.host = host
    this.deadlines = deadlines
    this.sender = sender
    this.responseFields = new ResponseFields(sender.writer, host)
    this.#history = new StreamHistory(Math.max(REMEMBERED_RESETS, 2 * host.limits.maxConcurrentStreams))
    this.#decoder = new RequestDecoder(host.limits)
    this.#gate = new RequestGate(host)
    this.#floodLimits = new FloodLimits(host.limits, performance.now())
  }

  get scheme(): 'http' | 'https' {
    return this.#owner.scheme
  }
  get remoteAddress(): string | undefined {
    return this.#owner.remoteAddress
  }
  get remotePort(): number | undefined {
    return this.#owner.remotePort
  }
  get account(): BufferAccount {
    return this.#owner.account
  }
  /** The highest number of a stream that was opened. */
  get lastId(): number {
    return this.#history.lastId
  }
  /** Streams that are open. */
  get size(): number {
    return this.#open.size
  }

  /** Begins requests that waited until less was held for the connection. */
  onBufferRoom(): void {
    this.#gate.onRoom(this.account)
    this.sender.writer.flushSoon()
  }

  /** Frames that arrived together follow. */
  onFrames(): void {
    this.#history.onFrames()
  }

  /** New streams are passed over from now on, as the client is told. */
  refuseNew(): void {
    this.#history.isEnding = true
  }

  /** What has arrived has been looked at, all of it or as much as there was time for. */
  onFramesEnd(): void {
    if (this.#noted.length === 0) return
    const nowMs = performance.now()
    for (const exchange of this.#noted) exchange.watchBody(nowMs)
    this.#noted = []
  }

  /**
   * A whole field block has arrived: the head of a request, or the trailers of one.
   *
   * @throws {ConnectionError}
   */
  onFields(id: number, endsStream: boolean, block: Buffer, start: number, end: number): void {
    const section = this.#decoder.decode(block, start, end)
    const exchange = this.#open.get(id)
    if (exchange !== undefined) this.#onTrailers(exchange, section, endsStream)
    else if (id <= this.lastId) this.#onLateFrame(id)
    else if (this.#history.isPassedOver(id)) this.countIdleFrame()
    else this.#onRequest(id, section, endsStream)
  }

  /**
   * Content from `start` to `end` has arrived.
   *
   * @param frameBytes What the frame takes of the window, padding included
   * @throws {ConnectionError}
   */
  onData(id: number, bytes: Buffer, start: number, end: number, frameBytes: number, endsStream: boolean): void {
    const exchange = this.#open.get(id)
    if (exchange === undefined) {
      this.#onLateFrame(id)
      return
    }
    const expected = exchange.openBody
    if (expected === undefined) throw closed(id)
    if (start === end && !endsStream) this.countIdleFrame()
    try {
      expected.onData(bytes, start, end, frameBytes)
      if (endsStream) exchange.onRequestEnd(NO_TRAILERS)
    } catch (error) {
      this.#endByFault(exchange, error)
    }
  }

  /** @throws {ConnectionError} */
  onReset(id: number, code: number): void {
    if (this.#history.isPassedOver(id)) return this.countIdleFrame()
    this.#history.expectOpened(id, 'RST_STREAM')
    const exchange = this.#open.get(id)
    // Who gives up a request together with making it has not seen its response, though it may be complete already.
    if (exchange !== undefined || this.#history.isNew(id)) this.#floodLimits.countReset()
    else this.countIdleFrame()
    if (exchange === undefined) return
    this.#remove(exchange)
    exchange.onLost(new AbortedError(`The client reset its request with code ${code}`))
  }

  /** @throws {ConnectionError} */
  onWindowUpdate(id: number, bytes: number): void {
    if (this.#history.isPassedOver(id)) return this.countIdleFrame()
    this.#history.expectOpened(id, 'WINDOW_UPDATE')
    this.#open.get(id)?.widen(bytes)
  }

  /** The client would have the response on a stream sent in another order. @throws {ConnectionError} */
  onPriorityUpdate(id: number, value: string): void {
    this.countIdleFrame()
    // RFC 9218 §7.1: neither the connection nor what only a server could open.
    if (id % 2 === 0) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `PRIORITY_UPDATE of stream ${id}`)
    const exchange = this.#open.get(id)
    if (exchange !== undefined) {
      this.#priorities.onUpdate()
      this.sender.prioritize(exchange, parsePriority(value))
    } else if (id > this.lastId && !this.#history.isEnding) {
      const most = this.host.limits.maxConcurrentStreams - this.#open.size
      if (this.#priorities.setEarly(id, parsePriority(value), most) || !this.#owner.isAcknowledged) return
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'PRIORITY_UPDATE of more streams than may be open')
    }
  }

  /** The client has another initial window. @throws {ConnectionError} if a window gets too large */
  onInitialWindow(difference: number): void {
    for (const exchange of this.#open.list()) exchange.widen(difference)
  }

  /** A frame that asks for nothing. @throws {ConnectionError} ENHANCE_YOUR_CALM if there are too many */
  countIdleFrame(): void {
    this.#floodLimits.countIdleFrame()
  }

  onDeadlineSet(deadlineMs: number): void {
    this.#owner.onDeadlineSet(deadlineMs)
  }

  watchSoon(exchange: Http2Exchange): void {
    this.#noted.push(exchange)
  }

  resetStream(exchange: Http2Exchange, code: ErrorCode): void {
    if (!this.#open.has(exchange)) return
    // Before the connection may end with its last stream.
    this.#sendReset(exchange.id, code)
    this.#remove(exchange)
  }

  onComplete(exchange: Http2Exchange): void {
    this.#remove(exchange)
  }

  /** Tells those whose time has come. @returns The next deadline of the others, `Infinity` without any */
  expire(nowMs: number): number {
    let nextMs = Infinity
    for (const exchange of this.#open.list()) {
      if (exchange.deadlineMs <= nowMs) exchange.onDeadline()
      nextMs = Math.min(nextMs, exchange.deadlineMs)
    }
    return nextMs
  }

  /** The client has left, and opens no window any more. Complete responses that fit in its windows are still sent. */
  abandon(error: Error): void {
    this.refuseNew()
    let { window } = this.sender
    for (const exchange of this.#open.list()) {
      if (exchange.isComplete && exchange.fits(window)) {
        window -= exchange.queuedBytes
        continue
      }
      this.resetStream(exchange, ErrorCode.CANCEL)
      exchange.onLost(error)
    }
  }

  /** The connection is over, and so is all that was on it. */
  end(error: Error): void {
    this.refuseNew()
    this.#gate.clear()
    for (const exchange of this.#open.list()) {
      this.#open.remove(exchange)
      exchange.onLost(error)
    }
    this.sender.end(error)
  }

  /** Tells of a request, or of a connection without one, that no handler sees. */
  report(status: number, reason: string, line: Pick<Refusal, 'method' | 'target'>): void {
    const { remoteAddress } = this
    // The head came at once, as far as anybody can tell from here.
    this.host.onRefused({ status, reason, protocol: 'HTTP/2.0', remoteAddress, ...line, bodyBytes: 0, durationMs: 0 })
  }

  #onRequest(id: number, section: FieldSection, endsStream: boolean): void {
    this.#history.open(id)
    if (this.#open.size >= this.host.limits.maxConcurrentStreams) {
      // RFC 9113 §5.1.2. Until it knows the limit a client may go beyond it, by thousands.
      if (this.#owner.isAcknowledged) this.#floodLimits.countReset()
      else this.countIdleFrame()
      this.#sendReset(id, ErrorCode.REFUSED_STREAM)
      return
    }
    let head: Http2RequestHead
    try {
      head = this.#decoder.head(section)
      if (endsStream && head.contentLength !== undefined && head.contentLength > 0) {
        throw new StreamError(ErrorCode.PROTOCOL_ERROR, 'Malformed request: content announced and none sent')
      }
    } catch (error) {
      this.#refuse(id, section, endsStream, error)
      return
    }
    if (this.#open.size === 0) this.#owner.onBusy()
    const priority = this.#priorities.open(id, head.priority)
    const exchange = new Http2Exchange(this, id, head, priority, !endsStream, this.#owner.clientSettings.initialWindow)
    this.#open.add(exchange)
    this.#gate.begin(exchange, this.#owner.knownAccount)
  }

  /** A request that no handler sees: answered as briefly as possible if it can be, else reset. */
  #refuse(id: number, section: FieldSection, endsStream: boolean, error: unknown): void {
    const line = refusedRequestLine(section.fields)
    if (error instanceof StreamError) {
      this.#floodLimits.countReset()
      this.#sendReset(id, error.code)
      this.report(0, error.message, line)
    } else if (error instanceof ProtocolError) {
      const head = { fields: [], contentLength: 0, allowsBody: true, close: false, hasDate: false }
      this.responseFields.head(id, error.status, head, true)
      if (!endsStream) this.#sendReset(id, ErrorCode.NO_ERROR)
      this.sender.writer.flushSoon()
      this.report(error.status, error.message, line)
    } else throw error
  }

  #onTrailers(exchange: Http2Exchange, section: FieldSection, endsStream: boolean): void {
    if (exchange.openBody === undefined) throw closed(exchange.id)
    try {
      if (!endsStream)
        throw new StreamError(ErrorCode.PROTOCOL_ERROR, 'Malformed request: trailers that are not the end')
      exchange.onRequestEnd(http2Trailers(section, this.host.limits))
    } catch (error) {
      if (error instanceof ProtocolError) exchange.onRequestRefused(error)
      else this.#endByFault(exchange, error)
    }
  }

  /** Ends a stream for what the client did on it. */
  #endByFault(exchange: Http2Exchange, error: unknown): void {
    if (!(error instanceof StreamError)) throw error
    this.#floodLimits.countReset()
    this.resetStream(exchange, error.code)
    exchange.onLost(new AbortedError(error.message))
  }

  /** A frame with a body for a stream that is not open. */
  #onLateFrame(id: number): void {
    if (!this.#history.isPassedOver(id)) {
      this.#history.expectOpened(id, 'A frame')
      // What was sent before the client knew of the reset.
      if (!this.#history.wasReset(id)) throw closed(id)
    }
    this.countIdleFrame()
  }

  #remove(exchange: Http2Exchange): boolean {
    if (!this.#open.remove(exchange)) return false
    exchange.onStreamOver()
    if (this.#open.size === 0) this.#owner.onIdle()
    return true
  }

  #sendReset(id: number, code: ErrorCode): void {
    const { writer } = this.sender
    writer.rstStream(id, code)
    writer.flushSoon()
    this.#history.addReset(id)
  }
}

const NO_TRAILERS: FieldList = []

function closed(id: number): ConnectionError {
  return new ConnectionError(ErrorCode.STREAM_CLOSED, `A frame on stream ${id}, which is closed`)
}
