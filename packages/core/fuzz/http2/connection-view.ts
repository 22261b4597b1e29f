import { Flag, FrameType, Setting, type Frame } from '../../test/http2/frames.ts'
import { FrameStream, PREFACE_BYTES } from './frame-stream.ts'
import { StreamView } from './stream-view.ts'
import { HpackReader } from './hpack-reader.ts'

const MAX_FRAME_BYTES = 16_384
const DEFAULT_WINDOW = 65_535

/**
 * Observes a connection from between its two peers. Tracks the client's window grants, and checks that the server
 * respects them and the stream states. `onSent` throws if it does not.
 */
export class ConnectionView {
  readonly streams = new Map<number, StreamView>()
  window = DEFAULT_WINDOW
  /** Whether the client has sent GOAWAY. */
  isLeftByClient = false
  /** Whether the client has acknowledged a PING. This server sends none, so Node.js closes the connection (RFC 9113 §6.7). */
  hasAcknowledgedPing = false
  /** Error code of the server's GOAWAY. */
  goawayCode: number | undefined
  lastStreamId = 2 ** 31 - 1
  /** SETTINGS and PING frames from the client that are not acknowledged yet. */
  readonly #settings: (readonly [id: number, value: number])[][] = []
  #pings = 0
  /** Number of the server's SETTINGS frames that the client has acknowledged. */
  #acknowledged = 0
  #initialWindow = DEFAULT_WINDOW
  readonly #received = new FrameStream()
  #prefaceLeft = PREFACE_BYTES
  readonly #sent = new FrameStream()
  readonly #hpack = new HpackReader()
  #hasSettings = false
  /** Field block that is not complete. */
  #block: { streamId: number; endsStream: boolean; fragments: Buffer[] } | undefined
  #isInClientBlock = false

  /** Whether the client's bytes end with a complete frame, outside a field block. */
  get isBetweenFrames(): boolean {
    return this.#prefaceLeft === 0 && this.#received.restBytes === 0 && !this.#isInClientBlock
  }

  /** Whether the server has closed the connection with an error. */
  get hasFailed(): boolean {
    return this.goawayCode !== undefined && this.goawayCode !== 0
  }

  /** Whether the client acknowledges SETTINGS more often than it received them: the server sends them once. */
  get isAcknowledgedTwice(): boolean {
    return this.#acknowledged > 1
  }

  get isAllAcknowledged(): boolean {
    return this.#settings.length === 0 && this.#pings === 0
  }

  /** Records bytes from the client. */
  onReceived(slice: Buffer): void {
    const preface = Math.min(this.#prefaceLeft, slice.length)
    this.#prefaceLeft -= preface
    for (const each of this.#received.take(slice.subarray(preface))) this.#onClientFrame(each)
  }

  /** Checks bytes from the server. */
  onSent(bytes: Buffer): void {
    for (const each of this.#sent.take(bytes)) this.#onServerFrame(each)
  }

  #onClientFrame({ type, flags, streamId, payload }: Frame): void {
    if (type === FrameType.HEADERS || type === FrameType.CONTINUATION) {
      this.#isInClientBlock = (flags & Flag.END_HEADERS) === 0
      if (type === FrameType.HEADERS) this.#stream(streamId)
    } else if (type === FrameType.WINDOW_UPDATE && payload.length === 4) {
      const bytes = payload.readUInt32BE(0) & 0x7fff_ffff
      if (streamId === 0) this.window += bytes
      else this.#stream(streamId).window += bytes
    } else if (type === FrameType.GOAWAY) this.isLeftByClient = true
    else if (type === FrameType.SETTINGS && (flags & Flag.ACK) !== 0) this.#acknowledged++
    else if (type === FrameType.PING && (flags & Flag.ACK) !== 0) this.hasAcknowledgedPing = true
    else if (type === FrameType.PING) this.#pings++
    else if (type === FrameType.SETTINGS) this.#settings.push(entries(payload))
  }

  #stream(id: number): StreamView {
    const stream = this.streams.get(id) ?? new StreamView(this.#initialWindow)
    this.streams.set(id, stream)
    return stream
  }

  #onServerFrame({ type, flags, streamId, payload }: Frame): void {
    if (payload.length > MAX_FRAME_BYTES) throw new Error(`A frame of ${payload.length} bytes`)
    if (!this.#hasSettings && type !== FrameType.SETTINGS) throw new Error('SETTINGS is not the first frame')
    if (this.#block !== undefined && (type !== FrameType.CONTINUATION || this.#block.streamId !== streamId)) {
      throw new Error('A frame within a field block')
    }
    if (this.hasFailed) throw new Error('A frame after the connection has ended')
    switch (type) {
      case FrameType.DATA:
        this.window -= payload.length
        if (this.window < 0) throw new Error("Content beyond the connection's window")
        this.#opened(streamId).onData(payload, (flags & Flag.END_STREAM) !== 0)
        return
      case FrameType.HEADERS:
        this.#opened(streamId)
        this.#block = {
          streamId,
          endsStream: (flags & Flag.END_STREAM) !== 0,
          fragments: [payload],
        }
        this.#onBlockEnd(flags)
        return
      case FrameType.CONTINUATION:
        if (this.#block === undefined) throw new Error('CONTINUATION without HEADERS')
        this.#block.fragments.push(payload)
        this.#onBlockEnd(flags)
        return
      case FrameType.RST_STREAM:
        this.#opened(streamId).onReset(payload.readUInt32BE(0))
        return
      case FrameType.WINDOW_UPDATE:
        if (payload.readUInt32BE(0) === 0) throw new Error('WINDOW_UPDATE with increment 0')
        if (streamId !== 0) this.#opened(streamId).onWindowUpdate()
        return
      case FrameType.SETTINGS:
        this.#hasSettings = true
        if ((flags & Flag.ACK) !== 0) this.#apply()
        return
      case FrameType.PING:
        if ((flags & Flag.ACK) !== 0 && this.#pings-- === 0)
          throw new Error('Acknowledgment of a PING that was not sent')
        return
      case FrameType.GOAWAY:
        if (payload.readUInt32BE(0) > this.lastStreamId) throw new Error('GOAWAY with a higher stream ID than before')
        this.lastStreamId = payload.readUInt32BE(0)
        this.goawayCode = payload.readUInt32BE(4)
        return
      default:
        throw new Error(`A frame of type ${type}`)
    }
  }

  #opened(id: number): StreamView {
    const stream = this.streams.get(id)
    if (stream === undefined || id % 2 === 0) throw new Error(`A frame on stream ${id}, which the client did not open`)
    return stream
  }

  #onBlockEnd(flags: number): void {
    const block = this.#block
    if (block === undefined || (flags & Flag.END_HEADERS) === 0) return
    this.#block = undefined
    this.#opened(block.streamId).onFields(this.#hpack.read(Buffer.concat(block.fragments)), block.endsStream)
  }

  /**
   * Applies the client's oldest pending settings. The server must not use larger values before this (RFC 9113
   * §6.5.3).
   */
  #apply(): void {
    const applied = this.#settings.shift()
    if (applied === undefined) throw new Error('Acknowledgment of SETTINGS that were not sent')
    for (const [setting, value] of applied) {
      if (setting === Setting.HEADER_TABLE_SIZE) this.#hpack.setLimit(value)
      if (setting !== Setting.INITIAL_WINDOW_SIZE) continue
      for (const stream of this.streams.values()) stream.window += value - this.#initialWindow
      this.#initialWindow = value
    }
  }
}

function entries(payload: Buffer): (readonly [id: number, value: number])[] {
  const found: (readonly [id: number, value: number])[] = []
  for (let at = 0; at + 6 <= payload.length; at += 6)
    found.push([payload.readUInt16BE(at), payload.readUInt32BE(at + 2)])
  return found
}
