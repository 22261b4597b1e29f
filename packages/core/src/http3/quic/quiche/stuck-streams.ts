/** Milliseconds after which a finished stream that quiche still keeps is reset. */
const NUDGE_AFTER_MS = 5000
/** Milliseconds after which a stream counts as stuck. */
const STUCK_AFTER_MS = 10_000
const CHECK_INTERVAL_MS = 1000
/**
 * Number of cleanly ended streams to keep track of. The peer never has this many streams open at the same time, and
 * opens another only when quiche has forgotten one.
 */
const RECENT_STREAMS = 256

const WRITE_SIDE = 1
const H3_NO_ERROR = 0x100

/** Methods of a quiche connection that `StuckStreams` uses. */
export interface StreamStates {
  /**
   * Throws for a finished stream.
   *
   * @throws {Error} `InvalidStreamState` when the stream has ended and all bytes were acknowledged
   */
  streamCapacity(streamId: number): number
  streamShutdown(streamId: number, direction: 0 | 1, code: number): unknown
}

/**
 * Tracks finished streams until quiche forgets them. Only aborted streams can become stuck. Checking any other stream
 * costs an exception, so the others are checked only when the connection closes.
 *
 * The peer can open a new stream when both sides of an old one have ended and are acknowledged. quiche 0.18 can
 * miss that in three cases:
 *
 * 1. A stream is reset while bytes are waiting to be sent.
 * 2. The receiving side of a stream is stopped, and the peer then finishes the stream instead of resetting it.
 * 3. The peer's reset arrives after the last acknowledgment.
 *
 * A reset from the server, after all bytes have arrived, releases some of these streams. Each remaining stuck stream
 * reduces the number of streams that the peer can open. When too many are stuck, the connection must be replaced.
 */
export class StuckStreams {
  readonly #quiche: StreamStates
  readonly #limit: number
  readonly #onTooMany: () => void
  readonly #aborted = new Map<number, number>()
  /** Ring buffer of cleanly ended streams. */
  readonly #ended: number[] = []
  #endedCount = 0
  #timer: NodeJS.Timeout | undefined = undefined

  /**
   * Creates the tracker for one connection.
   *
   * @param limit Number of stuck streams at which `onTooMany` is called
   */
  constructor(quiche: StreamStates, limit: number, onTooMany: () => void) {
    this.#quiche = quiche
    this.#limit = limit
    this.#onTooMany = onTooMany
  }

  /** Records a stream whose two sides have ended cleanly. */
  onEnded(streamId: number): void {
    this.#ended[this.#endedCount++ % RECENT_STREAMS] = streamId
  }

  /** Records a stream with a side that was reset or stopped by either peer. */
  onAborted(streamId: number): void {
    this.#aborted.set(streamId, performance.now())
    this.#checkLater()
  }

  /** Whether the peer has acknowledged all bytes on all streams. */
  get isEmpty(): boolean {
    this.#count()
    return this.#aborted.size === 0 && this.#ended.every((streamId) => this.#isOver(streamId))
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #checkLater(): void {
    if (this.#timer !== undefined || this.#aborted.size < this.#limit) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#count() >= this.#limit) this.#onTooMany()
      else this.#checkLater()
    }, CHECK_INTERVAL_MS)
  }

  /**
   * Removes finished streams.
   *
   * @returns The number of stuck streams
   */
  #count(): number {
    const now = performance.now()
    let stuck = 0
    for (const [streamId, since] of this.#aborted) {
      if (this.#isOver(streamId)) {
        this.#aborted.delete(streamId)
        continue
      }
      if (now - since > NUDGE_AFTER_MS) this.#quiche.streamShutdown(streamId, WRITE_SIDE, H3_NO_ERROR)
      if (now - since > STUCK_AFTER_MS) stuck++
    }
    return stuck
  }

  #isOver(streamId: number): boolean {
    try {
      this.#quiche.streamCapacity(streamId)
      return false
    } catch (error) {
      return error instanceof Error && error.message.startsWith('InvalidStreamState')
    }
  }
}
