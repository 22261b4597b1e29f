import type { Socket } from 'node:net'
import { AbortedError } from '../engine/aborted-error.ts'
import type { Deadlines, Watched } from '../engine/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine.ts'
import { ReadFlow, type FlowOwner } from '../engine/read-flow.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { FieldBlock } from './field-block.ts'
import { FrameReader, readUint32 } from './frame-reader.ts'
import { checkFrame } from './frame-rules.ts'
import { frameTrace, type FrameTrace } from './frame-trace.ts'
import { FrameWriter } from './frame-writer.ts'
import { DEFAULT_WINDOW, Flag, FrameType, MAX_STREAM_ID } from './frames.ts'
import { Preface } from './preface.ts'
import { Sender } from './sender.ts'
import { ClientSettings, serverSettings } from './settings.ts'
import { Http2Streams, type StreamsOwner } from './streams.ts'

/** How far a connection has got. */
type Phase =
  | 'open'
  /** The client is told with its next request, or soon if there is none. */
  | 'leaving'
  /** The client was told that the connection will end, and may still have sent requests that it did not know of. */
  | 'draining'
  /** New streams are passed over; those that were opened finish. */
  | 'ending'
  /** Everything was sent; what still arrives is thrown away until the client has seen it. */
  | 'lingering'
  | 'closed'

/** What content of all streams may take of the connection before it is given back, which is as it arrives. */
const RECEIVE_WINDOW: number = 1024 * 1024
/** Octets that wait for the socket, besides content, before nothing more is read of a client that reads nothing. */
const MAX_UNSENT_BYTES = 256 * 1024
/** A block may take more than its fields may, so that whoever sends too many is told so. */
const BLOCK_FACTOR = 4
/** Octets of content that are progress. */
const PROGRESS_BYTES: number = 16 * 1024
/** How often it is seen whether the client takes something, in the time in which it must have. */
const SAMPLES = 4

export interface Http2ConnectionOptions {
  readonly scheme: 'http' | 'https'
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly onClose: (connection: Http2Connection) => void
}

/**
 * One HTTP/2 connection: owns the socket, takes frames to where they belong, and begins and ends it all.
 *
 * @see RFC 9113 §3.4 (preface), §5.4 (errors), §6.8 (end)
 */
export class Http2Connection implements Drainable, Watched, FlowOwner, StreamsOwner {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly sender: Sender
  readonly clientSettings: ClientSettings = new ClientSettings()
  isAcknowledged = false
  deadlineMs: number
  readonly #socket: Socket
  readonly #onClosed: (connection: Http2Connection) => void
  readonly #writer: FrameWriter
  readonly #streams: Http2Streams
  readonly #reader = new FrameReader()
  readonly #flow: ReadFlow
  readonly #trace: FrameTrace | undefined
  #phase: Phase = 'open'
  #preface: Preface | undefined = new Preface()
  #isIntroduced = false
  /** A field section of which more must come, before anything else. */
  #block: FieldBlock | undefined = undefined
  #isAdvancing = false
  /** Octets that content may take before the window of the connection is moved. */
  #window = RECEIVE_WINDOW
  #lingered = 0
  /** Whether the client has said that it sends no more while the connection waited for its turn. */
  #hasEnded = false
  /** When there must be a stream, or the end. */
  #idleDeadlineMs: number
  #blockDeadlineMs = Infinity
  #sampleMs: number
  /** What the sender had sent when it was last seen to go on, and when that was. */
  #sentBytes = 0
  #progressMs: number

  constructor(socket: Socket, { scheme, host, deadlines, onClose }: Http2ConnectionOptions) {
    const nowMs = performance.now()
    const { limits } = host
    this.host = host
    this.deadlines = deadlines
    this.scheme = scheme
    this.remoteAddress = socket.remoteAddress
    this.remotePort = socket.remotePort
    this.#socket = socket
    this.#onClosed = onClose
    this.#writer = new FrameWriter(socket)
    this.sender = new Sender(this.#writer)
    this.#streams = new Http2Streams(this)
    this.#flow = new ReadFlow(socket, limits.maxPipelinedRequests, this)
    this.#trace = frameTrace(host.logger)
    this.#progressMs = nowMs
    this.#idleDeadlineMs = deadlines.in(limits.sessionIdleTimeoutMs, nowMs)
    this.#sampleMs = deadlines.in(limits.writeStallTimeoutMs / SAMPLES, nowMs)
    this.deadlineMs = Math.min(this.#idleDeadlineMs, this.#sampleMs)
    this.#writer.settings(serverSettings(limits))
    this.#writer.windowUpdate(0, RECEIVE_WINDOW - DEFAULT_WINDOW)
    this.#writer.flushSoon()
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('drain', this.#onDrain)
    socket.on('error', ignore)
    socket.on('close', this.#onClose)
    deadlines.watch(this)
    socket.resume()
  }

  drain(): void {
    if (this.#phase !== 'open') return
    const { drainIdleMs, sessionIdleTimeoutMs } = this.host.limits
    const idleMs = performance.now() - (this.#idleDeadlineMs - sessionIdleTimeoutMs)
    if (drainIdleMs === 0 || idleMs >= drainIdleMs) {
      this.#announceEnd()
      return
    }
    // Libraries fail what is ready to be sent when GOAWAY comes. Whose request has just come has nothing ready.
    this.#phase = 'leaving'
    this.#setIdleDeadline(drainIdleMs)
  }

  destroy(): void {
    this.#phase = 'closed'
    this.#socket.destroy()
  }

  onReadTurn(): void {
    this.#advance()
    if (this.#hasEnded) this.#onEnd()
  }

  onDeadlineSet(deadlineMs: number): void {
    if (deadlineMs < this.deadlineMs) this.deadlineMs = deadlineMs
  }

  onBusy(): void {
    if (this.#phase === 'open') this.#idleDeadlineMs = Infinity
  }

  onIdle(): void {
    if (this.#phase === 'open') this.#setIdleDeadline(this.host.limits.sessionIdleTimeoutMs)
    else if (this.#phase === 'ending') this.#linger()
  }

  onDeadline(): void {
    const nowMs = performance.now()
    if (nowMs >= this.#idleDeadlineMs) this.#onIdleTooLong()
    if (nowMs >= this.#blockDeadlineMs) {
      this.#fail(new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'Request head took too long'))
    }
    if (nowMs >= this.#sampleMs) this.#sample(nowMs)
    const nextMs = this.#streams.expire(nowMs)
    // What was told of an end may have set another deadline.
    this.deadlineMs = Math.min(this.deadlineMs, nextMs, this.#idleDeadlineMs, this.#blockDeadlineMs, this.#sampleMs)
  }

  #onIdleTooLong(): void {
    this.#idleDeadlineMs = Infinity
    if (this.#phase === 'open' || this.#phase === 'leaving') this.#announceEnd()
    else if (this.#phase === 'draining') this.#leave(ErrorCode.NO_ERROR)
    else this.destroy()
  }

  /** Ends the connection of a client that has taken nothing for too long. */
  #sample(nowMs: number): void {
    const { writeStallTimeoutMs } = this.host.limits
    const { sender } = this
    this.#sampleMs = this.deadlines.in(writeStallTimeoutMs / SAMPLES, nowMs)
    const isWaiting = sender.isBusy || this.#writer.isBlocked
    // Octet by octet a client could hold its answers for ever.
    if (!isWaiting || sender.sentBytes - this.#sentBytes >= PROGRESS_BYTES) {
      this.#progressMs = nowMs
      this.#sentBytes = sender.sentBytes
    } else if (nowMs - this.#progressMs >= writeStallTimeoutMs) this.destroy()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#phase === 'lingering' || this.#phase === 'closed') {
      this.#lingered += chunk.length
      if (this.#lingered > this.host.limits.lingerBytes) this.#socket.destroy()
      return
    }
    let received: Buffer | undefined = chunk
    if (this.#preface !== undefined) {
      try {
        received = this.#preface.take(chunk)
      } catch (error) {
        this.#failBy(error)
        return
      }
      if (received === undefined) return
      this.#preface = undefined
    }
    this.#reader.push(received)
    this.#streams.onFrames()
    this.#advance()
    this.#flow.addBytes(chunk.length)
  }

  readonly #onEnd = (): void => {
    // What was received before still has its turn.
    this.#hasEnded = this.#flow.isResting
    // One that lingers is closed as soon as the socket has taken everything.
    if (this.#hasEnded || !this.#isReading) return
    // Streams end by frames: who can send none any more has left, as on HTTP/1.1, but for answers that are on their way.
    this.#phase = 'ending'
    this.#idleDeadlineMs = Infinity
    this.#streams.abandon(new AbortedError('The client closed the connection'))
    if (this.#streams.size === 0) this.#linger()
  }

  readonly #onDrain = (): void => {
    this.#progressMs = performance.now()
    this.sender.pump()
    this.#advance()
  }

  readonly #onClose = (): void => {
    this.#phase = 'closed'
    this.deadlines.unwatch(this)
    this.#reader.clear()
    this.#block = undefined
    this.#writer.close()
    this.#streams.end(new AbortedError('The connection was closed'))
    this.#onClosed(this)
  }

  /** Goes on as far as the received octets and the turn allow. */
  #advance(): void {
    if (this.#isAdvancing || this.#flow.isResting) return
    this.#isAdvancing = true
    try {
      while (this.#isReading && !this.#isStuck && this.#flow.mayBegin() && this.#reader.next()) this.#onFrame()
    } catch (error) {
      this.#failBy(error)
    }
    if (!this.#reader.hasRest) this.#flow.onEmpty()
    this.#isAdvancing = false
    this.#throttle()
  }

  get #isReading(): boolean {
    return this.#phase !== 'lingering' && this.#phase !== 'closed'
  }

  /** Whether the client reads nothing of what it is sent. */
  get #isStuck(): boolean {
    return this.#writer.bufferedBytes > MAX_UNSENT_BYTES
  }

  #onFrame(): void {
    const reader = this.#reader
    const { type, flags, streamId } = reader
    const length = reader.end - reader.start
    this.#trace?.(type, streamId, length)
    if (this.#block !== undefined && (type !== FrameType.CONTINUATION || streamId !== this.#block.streamId)) {
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'Another frame within a field section')
    }
    if (!this.#isIntroduced && (type !== FrameType.SETTINGS || (flags & Flag.ACK) !== 0)) {
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'The first frame is not SETTINGS')
    }
    checkFrame(type, flags, streamId, length)
    switch (type) {
      case FrameType.DATA:
        this.#onContent(length)
        return
      case FrameType.HEADERS:
        this.#onHeaders()
        return
      case FrameType.CONTINUATION:
        this.#onContinuation()
        return
      case FrameType.RST_STREAM:
        this.#streams.onReset(streamId, readUint32(reader.bytes, reader.start))
        return
      case FrameType.SETTINGS:
        this.#onSettings()
        return
      case FrameType.PING:
        this.#onPing()
        return
      case FrameType.GOAWAY:
        this.#onGoaway(readUint32(reader.bytes, reader.start + 4))
        return
      case FrameType.WINDOW_UPDATE:
        this.#onWindowUpdate(readUint32(reader.bytes, reader.start) & 0x7fff_ffff)
        return
      // PRIORITY, which RFC 9113 deprecates, and what nobody knows.
      default:
        this.#streams.countIdleFrame()
    }
  }

  #onContent(frameBytes: number): void {
    const reader = this.#reader
    this.#window -= frameBytes
    if (this.#window < 0) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'DATA beyond the window of the connection')
    }
    if (this.#window <= RECEIVE_WINDOW / 2) {
      this.#writer.windowUpdate(0, RECEIVE_WINDOW - this.#window)
      this.#writer.flushSoon()
      this.#window = RECEIVE_WINDOW
    }
    reader.stripPadding()
    const content = reader.bytes.subarray(reader.start, reader.end)
    this.#streams.onData(reader.streamId, content, frameBytes, (reader.flags & Flag.END_STREAM) !== 0)
  }

  #onHeaders(): void {
    const reader = this.#reader
    const { flags, streamId } = reader
    if (this.#phase === 'leaving') this.#announceEnd()
    reader.stripPadding()
    if ((flags & Flag.PRIORITY) !== 0) reader.start += PRIORITY_BYTES
    if (reader.start > reader.end) throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, 'HEADERS without its priority')
    const endsStream = (flags & Flag.END_STREAM) !== 0
    if ((flags & Flag.END_HEADERS) !== 0) {
      this.#flow.addRequest()
      this.#streams.onFields(streamId, endsStream, reader.bytes, reader.start, reader.end)
      return
    }
    const { maxHeadBytes, headTimeoutMs } = this.host.limits
    this.#block = new FieldBlock(streamId, endsStream, maxHeadBytes * BLOCK_FACTOR)
    this.#block.add(reader.bytes.subarray(reader.start, reader.end))
    this.#blockDeadlineMs = this.deadlines.in(headTimeoutMs)
    this.onDeadlineSet(this.#blockDeadlineMs)
  }

  #onContinuation(): void {
    const reader = this.#reader
    const block = this.#block
    if (block === undefined) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'CONTINUATION of nothing')
    block.add(reader.bytes.subarray(reader.start, reader.end))
    if ((reader.flags & Flag.END_HEADERS) === 0) return
    this.#block = undefined
    this.#blockDeadlineMs = Infinity
    const whole = block.join()
    this.#flow.addRequest()
    this.#streams.onFields(block.streamId, block.endsStream, whole, 0, whole.length)
  }

  #onSettings(): void {
    const { bytes, start, end, flags } = this.#reader
    if ((flags & Flag.ACK) !== 0) {
      this.isAcknowledged = true
      return
    }
    this.#isIntroduced = true
    const settings = this.clientSettings
    const windowBefore = settings.initialWindow
    settings.read(bytes, start, end)
    // RFC 7541 §4.2: the smallest size counts, too, if it changes more than once.
    this.#writer.encoder.setMaxTableBytes(settings.takeLeastTableBytes())
    this.#writer.encoder.setMaxTableBytes(settings.headerTableBytes)
    // Clients, nghttp2 among them, let more through only from here on.
    this.#writer.settingsAck()
    this.#writer.flushSoon()
    // RFC 9113 §6.9.2: of streams that are open, too.
    this.#streams.onInitialWindow(settings.initialWindow - windowBefore)
  }

  #onPing(): void {
    const { bytes, start, end, flags } = this.#reader
    if ((flags & Flag.ACK) === 0) {
      this.#writer.pingAck(bytes.subarray(start, end))
      this.#writer.flushSoon()
    } else if (this.#phase === 'draining') this.#leave(ErrorCode.NO_ERROR)
  }

  /** The client will open no stream any more. */
  #onGoaway(code: number): void {
    if (code === ErrorCode.NO_ERROR) this.#leave(ErrorCode.NO_ERROR)
    else this.destroy()
  }

  #onWindowUpdate(octets: number): void {
    const { streamId } = this.#reader
    if (octets === 0) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'WINDOW_UPDATE by 0')
    if (streamId === 0) this.sender.widen(octets)
    else this.#streams.onWindowUpdate(streamId, octets)
  }

  /** RFC 9113 §6.8: what the client sends before it knows is served, too. */
  #announceEnd(): void {
    this.#phase = 'draining'
    this.#writer.goaway(MAX_STREAM_ID, ErrorCode.NO_ERROR)
    this.#writer.ping()
    this.#writer.flushSoon()
    const { drainIdleMs } = this.host.limits
    if (drainIdleMs === 0) this.#leave(ErrorCode.NO_ERROR)
    else this.#setIdleDeadline(drainIdleMs)
  }

  /** Takes no new stream; the connection ends with the last of those that were opened. */
  #leave(code: ErrorCode): void {
    if (this.#phase !== 'open' && this.#phase !== 'leaving' && this.#phase !== 'draining') return
    this.#phase = 'ending'
    this.#streams.isEnding = true
    this.#idleDeadlineMs = Infinity
    this.#writer.goaway(this.#streams.lastId, code)
    this.#writer.flushSoon()
    if (this.#streams.size === 0) this.#linger()
  }

  #failBy(error: unknown): void {
    if (!(error instanceof ConnectionError)) throw error
    this.#fail(error)
  }

  /** Ends the connection for what the client did. */
  #fail(error: ConnectionError): void {
    if (!this.#isReading) return
    this.#writer.goaway(this.#streams.lastId, error.code)
    this.#linger()
    this.#streams.end(new AbortedError(error.message))
    this.#streams.report(0, error.message, { method: undefined, target: undefined })
  }

  /** Says goodbye and waits a little for the client to hear it: a socket closed with unread octets resets the connection. */
  #linger(): void {
    if (!this.#isReading) return
    this.#phase = 'lingering'
    this.#reader.clear()
    this.#block = undefined
    this.#blockDeadlineMs = Infinity
    const { writeStallTimeoutMs, lingerTimeoutMs } = this.host.limits
    this.#setIdleDeadline(writeStallTimeoutMs)
    this.#writer.end(() => {
      this.#setIdleDeadline(lingerTimeoutMs)
      // No `drain` follows an end. Answers that waited for the socket have been taken, too.
      if (!this.#socket.destroyed) this.sender.pump()
    })
    this.#throttle()
  }

  #setIdleDeadline(afterMs: number): void {
    this.#idleDeadlineMs = this.deadlines.in(afterMs)
    this.onDeadlineSet(this.#idleDeadlineMs)
  }

  /** Stops reading while it must. */
  #throttle(): void {
    this.#flow.update(this.#isReading && this.#isStuck)
  }
}

/** RFC 9113 §6.2. */
const PRIORITY_BYTES = 5

/** A socket's `close` follows every `error` and says all that matters. */
function ignore(): void {}
