import { codeOf } from './errors.ts'
import { SendRoom } from './send-room.ts'
import { shutDown, WRITE_SIDE, type StreamSides } from './stream-sides.ts'

/** The first stream that a server opens for one direction (RFC 9000 §2.1), and the distance to the next. */
const FIRST_UNIDIRECTIONAL = 3
const STREAM_STEP = 4
const NOTHING = new Uint8Array()

/** The streams of a connection as far as they are written to. */
export class SendingStreams {
  /** Bytes of all streams that were taken so far. */
  writtenBytes = 0
  readonly #sides: StreamSides
  /** Streams that we may still send on, and whether the last write was not taken whole; those in the order of their turns. */
  readonly #open = new Map<number, boolean>()
  #nextUnidirectional = FIRST_UNIDIRECTIONAL
  #room: SendRoom | undefined = undefined

  constructor(sides: StreamSides) {
    this.#sides = sides
  }

  has(streamId: number): boolean {
    return this.#open.has(streamId)
  }

  /** The peer has said how much it takes. */
  onEstablished(): void {
    this.#room = new SendRoom(this.#sides.quiche, FIRST_UNIDIRECTIONAL)
  }

  /** A packet is about to be received. */
  onReceived(): void {
    this.#room?.onReceived()
  }

  /** The peer has opened a stream that we may answer on. */
  onOpened(streamId: number): void {
    this.#open.set(streamId, false)
  }

  openUnidirectional(): number {
    const streamId = this.#nextUnidirectional
    this.#nextUnidirectional += STREAM_STEP
    this.#open.set(streamId, false)
    try {
      // From now on it exists for quiche.
      this.#sides.quiche.streamSend(streamId, NOTHING, false)
    } catch {
      // The peer allows none: the first write will find out.
    }
    return streamId
  }

  /** Tells of the streams that take more, and of those that the peer has stopped. */
  notify(): void {
    // Asked once: many streams may be waiting for the same room.
    const isFull = this.#open.size > 2 && this.#room?.isFull === true
    let left = this.#open.size
    for (const [streamId, isBlocked] of this.#open) {
      if (left-- === 0) return
      if (isBlocked && !isFull) this.#offer(streamId)
      else this.#probe(streamId)
    }
  }

  write(streamId: number, chunk: Uint8Array, isEnd: boolean): number {
    if (!this.#open.has(streamId)) return -1
    let taken = 0
    try {
      const share = this.#room?.share(streamId, chunk.byteLength) ?? 0
      const isWhole = share === chunk.byteLength
      if (isWhole || share > 0) {
        taken = this.#sides.quiche.streamSend(streamId, chunk.subarray(0, share), isWhole && isEnd) ?? 0
      }
    } catch (error) {
      this.#onFailed(streamId, error)
      return -1
    }
    this.#room?.onWritten(taken)
    this.writtenBytes += taken
    this.#sides.schedule()
    if (taken === chunk.byteLength && isEnd) this.#end(streamId)
    else this.#open.set(streamId, taken < chunk.byteLength)
    return taken
  }

  reset(streamId: number, code: number): void {
    shutDown(this.#sides, streamId, WRITE_SIDE, code)
    this.#end(streamId)
  }

  /** Has a stream take what room there is. If it leaves none, the others go before it the next time. */
  #offer(streamId: number): void {
    const before = this.writtenBytes
    this.#sides.events()?.onWritable(streamId)
    if (this.writtenBytes === before || this.#open.get(streamId) !== true) return
    this.#open.delete(streamId)
    this.#open.set(streamId, true)
  }

  /** Finds out whether the stream can still be sent on. */
  #probe(streamId: number): void {
    try {
      this.#sides.quiche.streamCapacity(streamId)
    } catch (error) {
      this.#onFailed(streamId, error)
    }
  }

  #onFailed(streamId: number, error: unknown): void {
    this.#sides.onGivenUp(streamId)
    this.#end(streamId)
    this.#sides.events()?.onStopped(streamId, codeOf('StreamStopped', error))
  }

  #end(streamId: number): void {
    this.#open.delete(streamId)
    this.#sides.onSendingOver(streamId)
  }
}
