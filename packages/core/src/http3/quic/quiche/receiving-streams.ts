import { codeOf } from './errors.ts'
import type { QuicRead } from '../quic.ts'
import { READ_SIDE, shutDown, type StreamSides } from './stream-sides.ts'

/** Maximum number of open streams with which each stream is polled individually. */
const MAX_ASKED_STREAMS = 32
const readBuffer = Buffer.alloc(64 * 1024)
const NOTHING = readBuffer.subarray(0, 0)

/** Reads from a connection's streams. */
export class ReceivingStreams {
  readonly #sides: StreamSides
  readonly #opened = new OpenedStreams()
  /** Streams on which the peer can still send. */
  readonly #open = new Set<number>()
  readonly #paused = new Set<number>()
  /** Paused streams whose end has already been read from quiche. */
  readonly #ended = new Set<number>()

  constructor(sides: StreamSides) {
    this.#sides = sides
  }

  /** Number of streams on which the peer can still send. */
  get size(): number {
    return this.#open.size
  }

  has(streamId: number): boolean {
    return this.#open.has(streamId)
  }

  /** Reports the streams that have bytes or an end to read. */
  notify(): void {
    if (this.#sides.quiche.isReadable()) this.#notifyReadables()
    for (const streamId of this.#ended) if (!this.#paused.has(streamId)) this.#sides.events()?.onReadable(streamId)
  }

  read(streamId: number, maxBytes: number): QuicRead | undefined {
    if (!this.#open.has(streamId)) return undefined
    if (this.#ended.has(streamId)) {
      this.#end(streamId)
      return { chunk: NOTHING, isEnd: true }
    }
    const read = this.#receive(streamId, readBuffer.subarray(0, maxBytes))
    if (read === undefined) return undefined
    this.#sides.overhead.onRead(read.chunk.byteLength)
    // Schedule a send, because quiche might have to extend the window.
    this.#sides.schedule()
    if (read.isEnd) this.#end(streamId)
    return read
  }

  pause(streamId: number): void {
    if (this.#open.has(streamId)) this.#paused.add(streamId)
  }

  resume(streamId: number): void {
    if (this.#paused.delete(streamId)) this.#sides.schedule()
  }

  stop(streamId: number, code: number): void {
    if (!this.#open.has(streamId)) return
    // If the end has already arrived, skip STOP_SENDING, so that quiche forgets the stream sooner.
    let isEnd = this.#ended.has(streamId)
    for (let read; !isEnd && (read = this.#receive(streamId, readBuffer)) !== undefined;) isEnd = read.isEnd
    this.#sides.overhead.onUnread()
    if (!isEnd) shutDown(this.#sides, streamId, READ_SIDE, code)
    this.#end(streamId)
  }

  /**
   * Polls streams first, because listing the readable streams in quiche costs more than the rest of a small request.
   */
  #notifyReadables(): void {
    const { quiche } = this.#sides
    if (this.#open.size <= MAX_ASKED_STREAMS) {
      for (const streamId of this.#open) {
        if (quiche.streamReadable(streamId)) this.#notifyReadable(streamId)
      }
      this.#notifyNew(0)
      this.#notifyNew(2)
      if (!quiche.isReadable()) return
    }
    for (const streamId of quiche.readable()) this.#notifyReadable(streamId)
  }

  /** Reports streams that the peer has opened in order. */
  #notifyNew(kind: 0 | 2): void {
    for (let streamId; this.#sides.quiche.streamReadable((streamId = this.#opened.next(kind)));) {
      this.#notifyReadable(streamId)
    }
  }

  #notifyReadable(streamId: number): void {
    if (!this.#open.has(streamId)) {
      if (!this.#opened.isNew(streamId)) {
        // The stream has ended here, but quiche keeps it until all bytes are read.
        while (this.#receive(streamId, readBuffer)?.isEnd === false);
        return
      }
      this.#open.add(streamId)
      if ((streamId & 2) === 0) this.#sides.onOpened(streamId)
    }
    if (!this.#paused.has(streamId)) this.#sides.events()?.onReadable(streamId)
    // An empty read detects a reset, and consumes an end that follows no bytes.
    else if (this.#receive(streamId, NOTHING)?.isEnd === true) this.#ended.add(streamId)
  }

  #receive(streamId: number, target: Uint8Array): QuicRead | undefined {
    try {
      const read = this.#sides.quiche.streamRecv(streamId, target)
      return read === null ? undefined : { chunk: target.subarray(0, read[0]), isEnd: read[1] }
    } catch (error) {
      if (!this.#open.has(streamId)) return undefined
      this.#sides.onAborted(streamId)
      this.#sides.overhead.onUnread()
      this.#end(streamId)
      this.#sides.events()?.onReset(streamId, codeOf('StreamReset', error))
      return undefined
    }
  }

  #end(streamId: number): void {
    this.#open.delete(streamId)
    this.#paused.delete(streamId)
    this.#ended.delete(streamId)
    this.#sides.onReceivingOver(streamId)
  }
}

/** Distance between two stream IDs of one type (RFC 9000 §2.1). */
const STEP = 4

/**
 * Tracks the streams that the peer has opened. Stream IDs have no gaps, but packets can be reordered, so a stream can
 * appear after later ones.
 */
export class OpenedStreams {
  /** Next expected stream ID by type (the two low bits of the ID). */
  readonly #next: [number, number, number, number] = [0, 1, 2, 3]
  /**
   * Skipped streams, which the peer has opened but for which no packet has arrived. Their number is at most that of the
   * streams that the peer can have open at the same time.
   */
  readonly #skipped = new Set<number>()

  /** Returns the next expected stream ID of a type. */
  next(kind: 0 | 1 | 2 | 3): number {
    return this.#next[kind]
  }

  /** Reports whether the stream is new. Returns true once per stream. */
  isNew(streamId: number): boolean {
    const kind = (streamId & 3) as 0 | 1 | 2 | 3
    if (streamId < this.#next[kind]) return this.#skipped.delete(streamId)
    for (let skipped = this.#next[kind]; skipped < streamId; skipped += STEP) this.#skipped.add(skipped)
    this.#next[kind] = streamId + STEP
    return true
  }
}
