import { ConnectionError, ErrorCode } from './errors.ts'

/**
 * Records which streams a client has opened, to determine how to treat later frames for them.
 *
 * @see RFC 9113 §5.1, §5.1.1
 */
export class StreamHistory {
  /** Highest opened stream identifier. */
  lastId = 0
  /** Whether new streams are ignored, after the final GOAWAY. */
  isEnding = false
  readonly #maxResets: number
  /** Streams that the server reset, oldest first. The client can have sent frames before it received the reset. */
  readonly #resets = new Set<number>()
  /** `lastId` before the current batch of frames. */
  #lastIdBefore = 0
  /** Most recent gap of skipped identifiers, which can no longer be opened: from `#gapStart` to before `#gapEnd`. */
  #gapStart = 0
  #gapEnd = 0

  /** @param maxResets Number of reset streams to keep */
  constructor(maxResets: number) {
    this.#maxResets = maxResets
  }

  /** Starts a batch of frames that arrived together. */
  onFrames(): void {
    this.#lastIdBefore = this.lastId
  }

  /** Records an opened stream. @throws {ConnectionError} PROTOCOL_ERROR if `id` is even, which a client must not open */
  open(id: number): void {
    if (id % 2 === 0)
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `A client must open odd streams, got stream ${id}`)
    if (id > this.lastId + 2) {
      this.#gapStart = this.lastId + 1
      this.#gapEnd = id
    }
    this.lastId = id
  }

  /** Reports whether the current batch of frames opened the stream. */
  isNew(id: number): boolean {
    return id > this.#lastIdBefore
  }

  /** Reports whether the stream was opened after the final GOAWAY (RFC 9113 §6.8). */
  isIgnored(id: number): boolean {
    return this.isEnding && id > this.lastId && id % 2 === 1
  }

  /** Checks that the stream has been opened. @throws {ConnectionError} PROTOCOL_ERROR if it has not */
  expectOpened(id: number, what: string): void {
    if (id > this.lastId || id % 2 === 0 || (id >= this.#gapStart && id < this.#gapEnd)) {
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `${what} on stream ${id}, which was not opened`)
    }
  }

  /** Records a stream that the server reset. Drops the oldest one if there are too many. */
  addReset(id: number): void {
    this.#resets.add(id)
    if (this.#resets.size <= this.#maxResets) return
    for (const oldest of this.#resets) {
      this.#resets.delete(oldest)
      return
    }
  }

  /** Reports whether the server reset the stream and the history still contains it. */
  wasReset(id: number): boolean {
    return this.#resets.has(id)
  }
}
