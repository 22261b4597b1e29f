import { DEFAULT_PRIORITY, type Priority } from '../engine/fields/priority.ts'

/** Default until the client sends a priority. All streams make progress. */
const SHARED: Priority = { ...DEFAULT_PRIORITY, isIncremental: true }

/**
 * Determines the priority of each new stream. Until the client sends the first priority, its streams share bandwidth.
 *
 * @see RFC 9218 §5, §7.1
 */
export class StreamPriorities {
  /** Priorities of streams that are not open yet, by stream identifier. */
  readonly #early = new Map<number, Priority>()
  #isUsed = false

  /** Returns the priority of a new stream. @param requested Value of the `priority` field in its request */
  open(streamId: number, requested: Priority | undefined): Priority {
    if (requested !== undefined) this.#isUsed = true
    const early = this.#early.size === 0 ? undefined : this.#takeEarly(streamId)
    return early ?? requested ?? (this.#isUsed ? DEFAULT_PRIORITY : SHARED)
  }

  /** Records that the client has sent PRIORITY_UPDATE for an open stream. */
  onUpdate(): void {
    this.#isUsed = true
  }

  /**
   * Stores the priority of a stream that is not open yet.
   *
   * @param maxStreams Maximum number of streams with a stored priority
   * @returns `false` if that number is reached; the priority is then not stored
   */
  setEarly(streamId: number, priority: Priority, maxStreams: number): boolean {
    this.#isUsed = true
    if (this.#early.size >= maxStreams && !this.#early.has(streamId)) return false
    this.#early.set(streamId, priority)
    return true
  }

  /** Removes and returns the priority of a stream. Also removes those of streams with lower IDs, which can no longer open (RFC 9113 §5.1.1). */
  #takeEarly(streamId: number): Priority | undefined {
    const priority = this.#early.get(streamId)
    for (const id of this.#early.keys()) if (id <= streamId) this.#early.delete(id)
    return priority
  }
}
