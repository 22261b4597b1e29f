import { codeOf } from './errors.ts'
import { SendRoom } from './send-room.ts'
import { shutDown, WRITE_SIDE, type StreamSides } from './stream-sides.ts'

/** A server's first unidirectional stream ID (RFC 9000 §2.1), and the distance to the next. */
const FIRST_UNIDIRECTIONAL = 3
const STREAM_STEP = 4
const NOTHING = new Uint8Array()

/** Writes to a connection's streams. */
export class SendingStreams {
  /** Bytes that quiche has accepted so far, on all streams. */
  writtenBytes = 0
  readonly #sides: StreamSides
  /** Writable streams, and whether the last write was incomplete. In the order in which they write. */
  readonly #open = new Map<number, boolean>()
  #nextUnidirectional = FIRST_UNIDIRECTIONAL
  #room: SendRoom | undefined = undefined

  constructor(sides: StreamSides) {
    this.#sides = sides
  }

  has(streamId: number): boolean {
    return this.#open.has(streamId)
  }

  /** Creates the send limits from the peer's transport parameters. */
  onEstablished(): void {
    this.#room = new SendRoom(this.#sides.quiche, FIRST_UNIDIRECTIONAL)
  }

  /** Prepares for a received packet. */
  onReceived(): void {
    this.#room?.onReceived()
  }

  /** Adds a bidirectional stream that the peer has opened. */
  onOpened(streamId: number): void {
    this.#open.set(streamId, false)
  }

  openUnidirectional(): number {
    const streamId = this.#nextUnidirectional
    this.#nextUnidirectional += STREAM_STEP
    this.#open.set(streamId, false)
    try {
      // Create the stream in quiche.
      this.#sides.quiche.streamSend(streamId, NOTHING, false)
    } catch {
      // The peer does not allow another stream. The first write reports this.
    }
    return streamId
  }

  /** Reports streams that have room again, and streams that the peer has stopped. */
  notify(): void {
    // Check once, because many streams can be waiting for the same room.
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

  /** Allows a stream to write. If it remains blocked, it moves to the end of the queue. */
  #offer(streamId: number): void {
    const before = this.writtenBytes
    this.#sides.events()?.onWritable(streamId)
    if (this.writtenBytes === before || this.#open.get(streamId) !== true) return
    this.#open.delete(streamId)
    this.#open.set(streamId, true)
  }

  /** Detects whether the peer has stopped the stream. */
  #probe(streamId: number): void {
    try {
      this.#sides.quiche.streamCapacity(streamId)
    } catch (error) {
      this.#onFailed(streamId, error)
    }
  }

  #onFailed(streamId: number, error: unknown): void {
    this.#sides.onAborted(streamId)
    this.#end(streamId)
    this.#sides.events()?.onStopped(streamId, codeOf('StreamStopped', error))
  }

  #end(streamId: number): void {
    this.#open.delete(streamId)
    this.#sides.onSendingOver(streamId)
  }
}
