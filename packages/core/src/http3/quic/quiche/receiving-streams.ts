import { codeOf } from './errors.ts'
import type { QuicRead } from '../quic.ts'
import { READ_SIDE, shutDown, type StreamSides } from './stream-sides.ts'

/** Streams that are asked one by one whether there is something to read. */
const MAX_ASKED_STREAMS = 32
const readBuffer = Buffer.alloc(64 * 1024)
const NOTHING = readBuffer.subarray(0, 0)

/** The streams of a connection as far as they are read from. */
export class ReceivingStreams {
  readonly #sides: StreamSides
  readonly #opened = new OpenedStreams()
  /** Streams that the peer may still send on, as far as we know and care. */
  readonly #open = new Set<number>()
  readonly #paused = new Set<number>()
  /** Paused streams of which only the end was left, and has been taken from quiche. */
  readonly #ended = new Set<number>()

  constructor(sides: StreamSides) {
    this.#sides = sides
  }

  /** How many streams the peer may still send on. */
  get size(): number {
    return this.#open.size
  }

  has(streamId: number): boolean {
    return this.#open.has(streamId)
  }

  /** Tells of the streams that have something to read. */
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
    // There may be window to give back.
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
    // The end may be there already; then nobody has to be told, and quiche forgets the stream sooner.
    let isEnd = this.#ended.has(streamId)
    for (let read; !isEnd && (read = this.#receive(streamId, readBuffer)) !== undefined;) isEnd = read.isEnd
    this.#sides.overhead.onUnread()
    if (!isEnd) shutDown(this.#sides, streamId, READ_SIDE, code)
    this.#end(streamId)
  }

  /** Making quiche list the streams takes longer than everything else about a small request, so it is the last resort. */
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

  /** Streams that the peer has opened in order. */
  #notifyNew(kind: 0 | 2): void {
    for (let streamId; this.#sides.quiche.streamReadable((streamId = this.#opened.next(kind)));) {
      this.#notifyReadable(streamId)
    }
  }

  #notifyReadable(streamId: number): void {
    if (!this.#open.has(streamId)) {
      if (!this.#opened.isNew(streamId)) {
        // Over for us, but quiche forgets it only when all of it was read.
        while (this.#receive(streamId, readBuffer)?.isEnd === false);
        return
      }
      this.#open.add(streamId)
      if ((streamId & 2) === 0) this.#sides.onOpened(streamId)
    }
    if (!this.#paused.has(streamId)) this.#sides.events()?.onReadable(streamId)
    // Reading nothing tells about a reset, and takes an end that nothing precedes.
    else if (this.#receive(streamId, NOTHING)?.isEnd === true) this.#ended.add(streamId)
  }

  #receive(streamId: number, target: Uint8Array): QuicRead | undefined {
    try {
      const read = this.#sides.quiche.streamRecv(streamId, target)
      return read === null ? undefined : { chunk: target.subarray(0, read[0]), isEnd: read[1] }
    } catch (error) {
      if (!this.#open.has(streamId)) return undefined
      this.#sides.onGivenUp(streamId)
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

/** Distance between two streams of one kind (RFC 9000 §2.1). */
const STEP = 4

/**
 * Which streams the peer has opened. It numbers them without gaps, but packets overtake each other, so a stream may
 * be heard of after those behind it.
 */
export class OpenedStreams {
  /** By kind, the two low bits of the number: the next stream that has not been reached. */
  readonly #next: [number, number, number, number] = [0, 1, 2, 3]
  /** Streams that were skipped: opened by the peer, not heard of yet. No more than the peer may open at once. */
  readonly #skipped = new Set<number>()

  /** The stream of that kind that will be opened next, as far as is known. */
  next(kind: 0 | 1 | 2 | 3): number {
    return this.#next[kind]
  }

  /** Whether the stream is heard of for the first time; says so once. */
  isNew(streamId: number): boolean {
    const kind = (streamId & 3) as 0 | 1 | 2 | 3
    if (streamId < this.#next[kind]) return this.#skipped.delete(streamId)
    for (let skipped = this.#next[kind]; skipped < streamId; skipped += STEP) this.#skipped.add(skipped)
    this.#next[kind] = streamId + STEP
    return true
  }
}
