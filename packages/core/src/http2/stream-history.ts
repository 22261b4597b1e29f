import { ConnectionError, ErrorCode } from './errors.ts'

/**
 * Which streams of a connection there have been, so far as it matters to what still comes for them.
 *
 * @see RFC 9113 §5.1, §5.1.1
 */
export class StreamHistory {
  /** The highest number of a stream that was opened. */
  lastId = 0
  /** Whether new streams are passed over, as the client was told before. */
  isEnding = false
  readonly #maxResets: number
  /** Streams that we reset and for which frames may be on their way, oldest first. */
  readonly #resets = new Set<number>()
  /** `lastId` before the frames that are being read arrived. */
  #lastIdBefore = 0
  /** Numbers that were passed over last, none of which a stream can have any more. */
  #gapStart = 0
  #gapEnd = 0

  /** @param maxResets Streams that were reset which are remembered */
  constructor(maxResets: number) {
    this.#maxResets = maxResets
  }

  /** Frames that arrived together follow. */
  onFrames(): void {
    this.#lastIdBefore = this.lastId
  }

  /** @throws {ConnectionError} if a client can open no such stream */
  open(id: number): void {
    if (id % 2 === 0) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `A client opens stream ${id}`)
    if (id > this.lastId + 2) {
      this.#gapStart = this.lastId + 1
      this.#gapEnd = id
    }
    this.lastId = id
  }

  /** Whether it was opened by what arrived together with the frame that is being read. */
  isNew(id: number): boolean {
    return id > this.#lastIdBefore
  }

  /** Whether its request came too late (RFC 9113 §6.8). */
  isPassedOver(id: number): boolean {
    return this.isEnding && id > this.lastId && id % 2 === 1
  }

  /** @throws {ConnectionError} if there has been no such stream */
  expectOpened(id: number, what: string): void {
    if (id > this.lastId || id % 2 === 0 || (id >= this.#gapStart && id < this.#gapEnd)) {
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `${what} on stream ${id}, which was not opened`)
    }
  }

  /** We have reset a stream. */
  addReset(id: number): void {
    this.#resets.add(id)
    if (this.#resets.size <= this.#maxResets) return
    for (const oldest of this.#resets) {
      this.#resets.delete(oldest)
      return
    }
  }

  /** Whether we have reset a stream, not too long ago. */
  wasReset(id: number): boolean {
    return this.#resets.has(id)
  }
}
