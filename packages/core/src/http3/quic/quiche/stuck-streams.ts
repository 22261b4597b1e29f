/** After this time a stream that is over for us, but not for quiche, is helped along. */
const NUDGE_AFTER_MS = 5000
/** After this time it never will be. */
const STUCK_AFTER_MS = 10_000
const CHECK_INTERVAL_MS = 1000
/**
 * Streams that came to a good end, of which the last so many are remembered. The peer has fewer at once, and opens
 * another only when one is over for quiche.
 */
const RECENT_STREAMS = 256

const WRITE_SIDE = 1
const H3_NO_ERROR = 0x100

/** What is asked about a stream. */
export interface StreamStates {
  /** @throws {Error} `InvalidStreamState` when the stream is over and all of it arrived */
  streamCapacity(streamId: number): number
  streamShutdown(streamId: number, direction: 0 | 1, code: number): unknown
}

/**
 * Streams that we are done with, until the transport is. Only those that were given up can get stuck; asking about the
 * others costs an exception each, so that is left for the end of the connection.
 *
 * The peer may open a new stream when an old one is over on both sides and acknowledged. quiche 0.18 sometimes never
 * comes to that conclusion: when a stream is reset while bytes of it wait to be sent, when its reading side is stopped
 * and the peer then finishes instead of resetting, and when the peer's reset comes after the last acknowledgment (a
 * reset of our own, when everything has arrived long ago, gets such a stream unstuck). Each such stream takes one from
 * the number that the peer may have open; when that gets felt, the connection has served its time.
 */
export class StuckStreams {
  readonly #quiche: StreamStates
  readonly #limit: number
  readonly #onTooMany: () => void
  readonly #givenUp = new Map<number, number>()
  /** A ring of those that ended well. */
  readonly #ended: number[] = []
  #endedCount = 0
  #timer: NodeJS.Timeout | undefined = undefined

  /** @param limit Stuck streams at which `onTooMany` is called */
  constructor(quiche: StreamStates, limit: number, onTooMany: () => void) {
    this.#quiche = quiche
    this.#limit = limit
    this.#onTooMany = onTooMany
  }

  /** Both sides came to their end. */
  onEnded(streamId: number): void {
    this.#ended[this.#endedCount++ % RECENT_STREAMS] = streamId
  }

  /** A side was reset or stopped, by whomever. */
  onGivenUp(streamId: number): void {
    this.#givenUp.set(streamId, performance.now())
    this.#checkLater()
  }

  /** Whether everything has arrived. */
  get isEmpty(): boolean {
    this.#count()
    return this.#givenUp.size === 0 && this.#ended.every((streamId) => this.#isOver(streamId))
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #checkLater(): void {
    if (this.#timer !== undefined || this.#givenUp.size < this.#limit) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#count() >= this.#limit) this.#onTooMany()
      else this.#checkLater()
    }, CHECK_INTERVAL_MS)
  }

  /** Forgets what is over. @returns Streams that are stuck */
  #count(): number {
    const now = performance.now()
    let stuck = 0
    for (const [streamId, since] of this.#givenUp) {
      if (this.#isOver(streamId)) {
        this.#givenUp.delete(streamId)
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
