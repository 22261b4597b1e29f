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
