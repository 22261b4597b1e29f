import type { ConnectionTrace, FieldList, Refusal } from '@fw/types'
import { AbortedError, ProtocolError } from '../engine/errors.ts'
import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import { type GateOwner, RequestGate } from '../engine/budget/request-gate.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import { parsePriority } from '../engine/fields/priority.ts'
import { StreamTable } from '../engine/collections/stream-table.ts'
import { traceExchange } from '../engine/tracing/request-trace.ts'
import { ResponseFields } from './response-head.ts'
import { ConnectionError, ErrorCode, StreamError } from './errors.ts'
import { FloodLimits } from './flood-limits.ts'
import { Http2Exchange } from './exchange.ts'
import { Http2TunnelExchange } from './tunnel-exchange.ts'
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
 * Minimum number of reset streams to keep in the history. Some clients open about 1,000 streams before they receive the
 * limit.
 */
const REMEMBERED_RESETS = 1024

/** Gives the streams access to their connection. */
export interface StreamsOwner extends GateOwner {
  readonly deadlines: Deadlines
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly hasProxySource: boolean
  readonly sender: Sender
  readonly clientSettings: ClientSettings
  /** Whether the client has acknowledged the server's SETTINGS, and therefore its limits. */
  readonly isAcknowledged: boolean
  /** Time of the last read; 0 while requests are not traced. */
  readonly readMs: number
  /** The connection in traces; created on first access. */
  readonly trace: ConnectionTrace
  onDeadlineSet(deadlineMs: number): void
  /** Called when a stream opens while no other is open. */
  onBusy(): void
  /** Called when the last open stream has ended. */
  onIdle(): void
}

/**
 * Opens and ends the streams of a connection, and applies each frame to its stream.
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
  #requests = 0
  /** Exchanges whose body timeouts must be updated after the current batch of frames. */
  #noted: Http2Exchange[] = []

  /** @param allowsTunnels Whether the server has announced extended CONNECT */
  constructor(owner: StreamsOwner, allowsTunnels: boolean) {
    const { host, deadlines, sender } = owner
    this.#owner = owner
    this.host = host
    this.deadlines = deadlines
    this.sender = sender
    this.responseFields = new ResponseFields(sender.writer, host)
    this.#history = new StreamHistory(Math.max(REMEMBERED_RESETS, 2 * host.limits.maxConcurrentStreams))
    this.#decoder = new RequestDecoder(host.limits, allowsTunnels)
    this.#gate = new RequestGate(owner)
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
  get hasProxySource(): boolean {
    return this.#owner.hasProxySource
  }
  get account(): BufferAccount {
    return this.#owner.account
  }
  /** Highest opened stream identifier. */
  get lastId(): number {
    return this.#history.lastId
  }
  /** Number of open streams. */
  get size(): number {
    return this.#open.size
  }
  /**
   * Number of requests whose exchange has not ended. Other open streams can still be receiving the rest of their
   * request.
   */
  get requestsInFlight(): number {
    return this.#open.list().filter((exchange) => !exchange.isClosed).length
  }

  /** Starts requests that waited for room in the account. */
  onBufferRoom(): void {
    this.#gate.onRoom()
    this.sender.writer.flushSoon()
  }

  /** Starts a batch of frames that arrived together. */
  onFrames(): void {
    this.#history.onFrames()
  }

  /** Ignores new streams from now on. The caller sends the GOAWAY that announces this. */
  refuseNew(): void {
    this.#history.isEnding = true
  }

  /** Ends a batch of frames. Updates the timeouts of the bodies that received bytes. */
  onFramesEnd(): void {
    if (this.#noted.length === 0) return
    const nowMs = performance.now()
    for (const exchange of this.#noted) exchange.watchBody(nowMs)
    this.#noted = []
  }

  /**
   * Receives a whole field block, which is the head or the trailers of a request.
   *
   * @throws {ConnectionError} if the block cannot be decoded, or the stream must not receive it
   */
  onFields(id: number, endsStream: boolean, block: Buffer, start: number, end: number): void {
    const section = this.#decoder.decode(block, start, end)
    const exchange = this.#open.get(id)
    if (exchange !== undefined) this.#onTrailers(exchange, section, endsStream)
    else if (id <= this.lastId) this.#onLateFrame(id)
    else if (this.#history.isIgnored(id)) this.countIdleFrame()
    else this.#onRequest(id, section, endsStream)
  }

  /**
   * Receives the content of a DATA frame, from `start` to `end` in `bytes`.
   *
   * @param frameBytes Payload length of the frame, including padding
   * @throws {ConnectionError} if the stream must not receive DATA, or the frame exceeds its window
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

  /**
   * Ends a stream that the client has reset. @throws {ConnectionError} if the stream was not opened, or after too many
   * resets
   */
  onReset(id: number, code: number): void {
    if (this.#history.isIgnored(id)) return this.countIdleFrame()
    this.#history.expectOpened(id, 'RST_STREAM')
    const exchange = this.#open.get(id)
    // A reset in the batch that opened the stream counts as a rapid reset, even if the response is already complete.
    if (exchange !== undefined || this.#history.isNew(id)) this.#floodLimits.countReset()
    else this.countIdleFrame()
    if (exchange === undefined) return
    this.#remove(exchange)
    exchange.onLost(new AbortedError(`The client reset its request with code ${code}`))
  }

  /**
   * Widens the window of a stream.
   *
   * @throws {ConnectionError} if the stream was not opened, or its window exceeds 2^31-1
   */
  onWindowUpdate(id: number, bytes: number): void {
    if (this.#history.isIgnored(id)) return this.countIdleFrame()
    this.#history.expectOpened(id, 'WINDOW_UPDATE')
    this.#open.get(id)?.widen(bytes)
  }

  /** Applies PRIORITY_UPDATE. @throws {ConnectionError} PROTOCOL_ERROR for a stream that a client must not name */
  onPriorityUpdate(id: number, value: string): void {
    this.countIdleFrame()
    // RFC 9218 §7.1: stream 0 and server-initiated streams are errors.
    if (id % 2 === 0) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `PRIORITY_UPDATE for stream ${id}`)
    const exchange = this.#open.get(id)
    if (exchange !== undefined) {
      this.#priorities.onUpdate()
      this.sender.prioritize(exchange, parsePriority(value))
    } else if (id > this.lastId && !this.#history.isEnding) {
      const maxStreams = this.host.limits.maxConcurrentStreams - this.#open.size
      if (this.#priorities.setEarly(id, parsePriority(value), maxStreams) || !this.#owner.isAcknowledged) return
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'PRIORITY_UPDATE for more streams than may be open')
    }
  }

  /** Applies a changed INITIAL_WINDOW_SIZE to all streams. @throws {ConnectionError} if a window exceeds 2^31-1 */
  onInitialWindow(difference: number): void {
    for (const exchange of this.#open.list()) exchange.widen(difference)
  }

  /** Counts a frame that has no effect. @throws {ConnectionError} ENHANCE_YOUR_CALM if the limit is exceeded */
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
    // Send the frame first, because removing the last stream can end the connection.
    this.#sendReset(exchange.id, code)
    this.#remove(exchange)
  }

  onComplete(exchange: Http2Exchange): void {
    if (this.#remove(exchange) && exchange.status !== 503) this.#gate.onServed()
  }

  /** Calls `onDeadline` of each exchange that is due. @returns The next deadline, `Infinity` without one */
  expire(nowMs: number): number {
    let nextMs = Infinity
    for (const exchange of this.#open.list()) {
      if (exchange.deadlineMs <= nowMs) exchange.onDeadline()
      nextMs = Math.min(nextMs, exchange.deadlineMs)
    }
    return nextMs
  }

  /**
   * Aborts a disconnected client's exchanges. Still sends complete responses that fit in the open windows.
   */
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

  /** Ends all streams with `error`, because the connection has ended. */
  end(error: Error): void {
    this.refuseNew()
    this.#gate.clear()
    for (const exchange of this.#open.list()) {
      this.#open.remove(exchange)
      exchange.onLost(error)
    }
    this.sender.end(error)
  }

  /** Reports a request that reaches no handler, or a connection error without a request. */
  report(status: number, reason: string, line: Pick<Refusal, 'method' | 'target'>): void {
    const { remoteAddress } = this
    // The arrival time of the head is not recorded, so report a duration of 0.
    this.host.onRefused({ status, reason, protocol: 'HTTP/2.0', remoteAddress, ...line, bodyBytes: 0, durationMs: 0 })
  }

  #onRequest(id: number, section: FieldSection, endsStream: boolean): void {
    this.#history.open(id)
    if (this.#open.size >= this.host.limits.maxConcurrentStreams) {
      // RFC 9113 §5.1.2. A client can exceed the limit by thousands before it receives SETTINGS.
      if (this.#owner.isAcknowledged) this.#floodLimits.countReset()
      else this.countIdleFrame()
      this.#sendReset(id, ErrorCode.REFUSED_STREAM)
      return
    }
    let head: Http2RequestHead
    try {
      head = this.#decoder.head(section)
      if (endsStream && head.contentLength !== undefined && head.contentLength > 0) {
        throw new StreamError(ErrorCode.PROTOCOL_ERROR, 'Malformed request: content does not match Content-Length')
      }
    } catch (error) {
      this.#refuse(id, section, endsStream, error)
      return
    }
    if (this.#open.size === 0) this.#owner.onBusy()
    const priority = this.#priorities.open(id, head.priority)
    const { initialWindow } = this.#owner.clientSettings
    const exchange =
      head.protocol === undefined
        ? new Http2Exchange(this, id, head, priority, !endsStream, initialWindow)
        : new Http2TunnelExchange(this, id, head, priority, !endsStream, initialWindow)
    this.#open.add(exchange)
    this.#requests++
    const { readMs } = this.#owner
    if (readMs > 0) exchange.trace = traceExchange(readMs, this.#owner.trace, id, this.#requests)
    const { countedHeadBytes } = exchange
    if (countedHeadBytes > 0) this.account.add(countedHeadBytes)
    this.#gate.begin(exchange, countedHeadBytes)
  }

  /** Resets a malformed request, or answers a refused one with its status and no body. */
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
      if (!endsStream) throw new StreamError(ErrorCode.PROTOCOL_ERROR, 'Malformed request: trailers without END_STREAM')
      // RFC 9113 §8.5: only DATA and stream management frames may follow the head of a CONNECT request.
      if (exchange.upgradeProtocol !== undefined) throw new StreamError(ErrorCode.PROTOCOL_ERROR, 'HEADERS in a tunnel')
      exchange.onRequestEnd(http2Trailers(section, this.host.limits))
    } catch (error) {
      if (error instanceof ProtocolError) exchange.onRequestRefused(error)
      else this.#endByFault(exchange, error)
    }
  }

  /** Resets a stream because of a client error. Rethrows any other error. */
  #endByFault(exchange: Http2Exchange, error: unknown): void {
    if (!(error instanceof StreamError)) throw error
    this.#floodLimits.countReset()
    this.resetStream(exchange, error.code)
    exchange.onLost(new AbortedError(error.message))
  }

  /** Handles HEADERS or DATA for a stream that is not open. */
  #onLateFrame(id: number): void {
    if (!this.#history.isIgnored(id)) {
      this.#history.expectOpened(id, 'A frame')
      // Ignore frames that the client sent before it received the reset.
      if (!this.#history.wasReset(id)) throw closed(id)
    }
    this.countIdleFrame()
  }

  #remove(exchange: Http2Exchange): boolean {
    if (!this.#open.remove(exchange)) return false
    if (exchange.countedHeadBytes > 0) this.account.add(-exchange.countedHeadBytes)
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
