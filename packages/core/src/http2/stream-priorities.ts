import { DEFAULT_PRIORITY, type Priority } from '../engine/fields/priority.ts'

/** Where nothing is known of priorities: each stream gets on. */
const SHARED: Priority = { ...DEFAULT_PRIORITY, isIncremental: true }

/**
 * The priorities of the streams that a client opens. As long as it says nothing of any, its streams share.
 *
 * @see RFC 9218 §5, §7.1
 */
export class StreamPriorities {
  /** Of streams that are not open yet, by their numbers. */
  readonly #early = new Map<number, Priority>()
  #isHeard = false

  /** That of a stream that is opened. @param said By the field of its request */
  open(streamId: number, said: Priority | undefined): Priority {
    if (said !== undefined) this.#isHeard = true
    const early = this.#early.size === 0 ? undefined : this.#takeEarly(streamId)
    return early ?? said ?? (this.#isHeard ? DEFAULT_PRIORITY : SHARED)
  }

  /** The client has said something of a stream that is open. */
  onUpdate(): void {
    this.#isHeard = true
  }

  /**
   * The client has said something of a stream that is not open yet.
   *
   * @param most Streams of which that may be said
   * @returns Whether there was room for it
   */
  setEarly(streamId: number, priority: Priority, most: number): boolean {
    this.#isHeard = true
    if (this.#early.size >= most && !this.#early.has(streamId)) return false
    this.#early.set(streamId, priority)
    return true
  }

  /** Those below can be opened no more (RFC 9113 §5.1.1). */
  #takeEarly(streamId: number): Priority | undefined {
    const priority = this.#early.get(streamId)
    for (const id of this.#early.keys()) if (id <= streamId) this.#early.delete(id)
    return priority
  }
}
