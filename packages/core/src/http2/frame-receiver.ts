import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { FieldBlock } from './frames/field-block.ts'
import { FrameReader, readUint32 } from './frames/frame-reader.ts'
import { checkFrame, frameTrace, type FrameTrace } from './frames/frame-rules.ts'
import { Flag, FrameType } from './frames/frame-types.ts'
import { Preface } from './frames/preface.ts'
import { ReceiveWindow } from './receive-windows.ts'
import type { Sender } from './sending/sender.ts'
import type { ClientSettings } from './frames/settings.ts'
import type { Http2Streams } from './streams.ts'

/**
 * Maximum size of a field block, as a multiple of `maxHeadBytes`. A section above `maxHeadBytes` must still fit, so
 * that it can be answered with 431.
 */
const BLOCK_FACTOR = 4
/** Bytes of the deprecated priority in HEADERS (RFC 9113 §6.2). */
const PRIORITY_BYTES = 5

/** Receives the connection-level effects of frames. */
export interface FrameOwner {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly sender: Sender
  readonly clientSettings: ClientSettings
  /** Called when `deadlineMs` has possibly become earlier. */
  onDeadlineSet(deadlineMs: number): void
  /** Called when the field section of a request, or of its trailers, begins. */
  onFieldsBegin(): void
  /** Counts work that costs about as much as a request. */
  onWork(): void
  /** Reports a change in the held bytes of an incomplete field block; negative for fewer bytes. */
  onBlock(difference: number): void
  onSettingsAcknowledged(): void
  onPingAcknowledged(): void
  onGoaway(code: number): void
}

/** Reads frames from the received bytes and passes each to its stream or to the connection. */
export class FrameReceiver {
  /** Time by which the preface, or an incomplete field block, must be complete. */
  deadlineMs: number
  readonly #owner: FrameOwner
  readonly #streams: Http2Streams
  readonly #trace: FrameTrace | undefined
  readonly #reader = new FrameReader()
  readonly #window: ReceiveWindow
  #preface: Preface | undefined = new Preface()
  #hasSettings = false
  /** Incomplete field block. Only its CONTINUATION may follow. */
  #block: FieldBlock | undefined = undefined

  constructor(owner: FrameOwner, streams: Http2Streams) {
    this.#owner = owner
    this.#streams = streams
    this.#trace = frameTrace(owner.host.logger)
    this.#window = new ReceiveWindow(owner.sender.writer)
    this.deadlineMs = owner.deadlines.in(owner.host.limits.firstByteTimeoutMs)
  }

  /** Whether the client has sent its preface, including SETTINGS (RFC 9113 §3.4). */
  get hasBegun(): boolean {
    return this.#hasSettings
  }

  /** Whether `next` has unread bytes. */
  get hasRest(): boolean {
    return this.#reader.hasRest
  }

  /** Adds received bytes. @throws {ConnectionError} PROTOCOL_ERROR if the connection does not begin with the preface */
  push(chunk: Buffer): void {
    let received: Buffer | undefined = chunk
    if (this.#preface !== undefined) {
      received = this.#preface.take(chunk)
      if (received === undefined) return
      this.#preface = undefined
    }
    this.#reader.push(received)
    this.#streams.onFrames()
  }

  /**
   * Processes the next frame.
   *
   * @returns `false` if no frame is complete
   * @throws {ConnectionError} if the frame is invalid
   */
  next(): boolean {
    if (!this.#reader.next()) return false
    this.#onFrame()
    return true
  }

  /** Releases all buffers. The connection reads no more frames. */
  clear(): void {
    this.#reader.clear()
    this.#block = undefined
    this.deadlineMs = Infinity
  }

  #onFrame(): void {
    const reader = this.#reader
    const { type, flags, streamId } = reader
    const length = reader.end - reader.start
    this.#trace?.(type, streamId, length)
    if (this.#block !== undefined && (type !== FrameType.CONTINUATION || streamId !== this.#block.streamId)) {
      throw new ConnectionError(
        ErrorCode.PROTOCOL_ERROR,
        'An incomplete field block must be followed by its CONTINUATION',
      )
    }
    if (!this.#hasSettings && (type !== FrameType.SETTINGS || (flags & Flag.ACK) !== 0)) {
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'The first frame is not SETTINGS')
    }
    checkFrame(type, flags, streamId, length)
    switch (type) {
      case FrameType.DATA:
        this.#onData(length)
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
        this.#streams.countIdleFrame()
        this.#owner.onGoaway(readUint32(reader.bytes, reader.start + 4))
        return
      case FrameType.WINDOW_UPDATE:
        this.#onWindowUpdate(readUint32(reader.bytes, reader.start) & 0x7fff_ffff)
        return
      case FrameType.PRIORITY_UPDATE:
        this.#onPriorityUpdate()
        return
      // PRIORITY, which RFC 9113 deprecates, and unknown types.
      default:
        this.#streams.countIdleFrame()
    }
  }

  #onData(frameBytes: number): void {
    const reader = this.#reader
    this.#window.take(frameBytes)
    reader.stripPadding()
    const { streamId, flags, bytes, start, end } = reader
    this.#streams.onData(streamId, bytes, start, end, frameBytes, (flags & Flag.END_STREAM) !== 0)
  }

  #onHeaders(): void {
    const reader = this.#reader
    const { flags, streamId } = reader
    this.#owner.onFieldsBegin()
    reader.stripPadding()
    if ((flags & Flag.PRIORITY) !== 0) reader.start += PRIORITY_BYTES
    if (reader.start > reader.end)
      throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, 'HEADERS too short for its priority')
    const endsStream = (flags & Flag.END_STREAM) !== 0
    if ((flags & Flag.END_HEADERS) !== 0) {
      this.#owner.onWork()
      this.#streams.onFields(streamId, endsStream, reader.bytes, reader.start, reader.end)
      return
    }
    const { maxHeadBytes, headTimeoutMs } = this.#owner.host.limits
    this.#block = new FieldBlock(streamId, endsStream, maxHeadBytes * BLOCK_FACTOR)
    this.#block.add(reader.bytes.subarray(reader.start, reader.end))
    this.#owner.onBlock(reader.end - reader.start)
    this.deadlineMs = this.#owner.deadlines.in(headTimeoutMs)
    this.#owner.onDeadlineSet(this.deadlineMs)
  }

  #onContinuation(): void {
    const reader = this.#reader
    const block = this.#block
    if (block === undefined)
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'CONTINUATION without an open field block')
    block.add(reader.bytes.subarray(reader.start, reader.end))
    this.#owner.onBlock(reader.end - reader.start)
    if ((reader.flags & Flag.END_HEADERS) === 0) return
    this.#block = undefined
    this.deadlineMs = Infinity
    const whole = block.join()
    this.#owner.onBlock(-whole.length)
    this.#owner.onWork()
    this.#streams.onFields(block.streamId, block.endsStream, whole, 0, whole.length)
  }

  #onSettings(): void {
    const { bytes, start, end, flags } = this.#reader
    if ((flags & Flag.ACK) !== 0) {
      this.#streams.countIdleFrame()
      this.#owner.onSettingsAcknowledged()
      return
    }
    // A client that changes its settings often gains nothing from it, but each frame costs an acknowledgement.
    this.#streams.countIdleFrame()
    this.#hasSettings = true
    // No field block is open here, so only the preface deadline can be set.
    this.deadlineMs = Infinity
    const settings = this.#owner.clientSettings
    const { writer } = this.#owner.sender
    const windowBefore = settings.initialWindow
    settings.read(bytes, start, end)
    // RFC 7541 §4.2: with several changes, the encoder must also signal the smallest size.
    writer.encoder.setMaxTableBytes(settings.takeMinTableBytes())
    writer.encoder.setMaxTableBytes(settings.headerTableBytes)
    // Acknowledge before sending DATA, because nghttp2 applies its larger window only after it receives the ACK.
    writer.settingsAck()
    writer.flushSoon()
    if (settings.initialWindow === windowBefore) return
    // RFC 9113 §6.9.2: the change applies to every open stream, so count it as work.
    this.#owner.onWork()
    this.#streams.onInitialWindow(settings.initialWindow - windowBefore)
  }

  #onPing(): void {
    const { bytes, start, end, flags } = this.#reader
    if ((flags & Flag.ACK) !== 0) {
      this.#streams.countIdleFrame()
      this.#owner.onPingAcknowledged()
      return
    }
    const { writer } = this.#owner.sender
    writer.pingAck(bytes.subarray(start, end))
    writer.flushSoon()
  }

  #onPriorityUpdate(): void {
    const { bytes, start, end } = this.#reader
    const streamId = readUint32(bytes, start) & 0x7fff_ffff
    this.#streams.onPriorityUpdate(streamId, bytes.toString('latin1', start + 4, end))
  }

  #onWindowUpdate(bytes: number): void {
    const { streamId } = this.#reader
    if (bytes === 0) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'WINDOW_UPDATE with an increment of 0')
    if (streamId === 0) this.#owner.sender.widen(bytes)
    else this.#streams.onWindowUpdate(streamId, bytes)
  }
}
