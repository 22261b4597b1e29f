import type { RequestMessage } from './messages.ts'

/** Single requests from other visitors per second. More would scroll faster than anyone reads. */
const OTHERS_PER_SECOND = 20
/** Bytes of single requests per second. Together with the counts and figures, the feed stays below 30 KB per second. */
const BYTES_PER_SECOND = 24_000

/**
 * Chooses the requests that the feed shows one by one: those of visitors, failed ones, and some of the rest.
 *
 * It leaves out the successful requests of races: their panel draws them, and they would fill the list.
 * All of them are counted anyway. Call `refill` for each batch.
 */
export class Selection {
  #others = OTHERS_PER_SECOND
  #bytes = BYTES_PER_SECOND

  /** Adds the allowance for `seconds`. Saves at most the allowance for one second. */
  refill(seconds: number): void {
    this.#others = Math.min(OTHERS_PER_SECOND, this.#others + OTHERS_PER_SECOND * seconds)
    this.#bytes = Math.min(BYTES_PER_SECOND, this.#bytes + BYTES_PER_SECOND * seconds)
  }

  /** Reports whether this request is shown. */
  takes(request: RequestMessage): boolean {
    const isOwn = request.by !== 'demo' && request.by !== 'race'
    if (!isOwn && request.status < 400) {
      if (request.by === 'race') return false
      if (this.#others < 1) return false
      this.#others--
    }
    const bytes = JSON.stringify(request).length
    if (bytes > this.#bytes) return false
    this.#bytes -= bytes
    return true
  }
}
