import type { RequestMessage } from './messages.ts'

/** Maximum number of other individual requests per second. More would scroll too fast to read. */
const OTHERS_PER_SECOND = 20
/** Maximum number of bytes of individual requests per second, so that the whole feed stays below 30 KB per second. */
const BYTES_PER_SECOND = 24_000

/**
 * Selects the requests that the feed shows individually: visitor requests, failed requests, and some others.
 *
 * Omits successful race requests, because the race panel draws them and they would fill the list. All requests are counted
 * anyway. Call `refill` for each batch.
 */
export class Selection {
  #others = OTHERS_PER_SECOND
  #bytes = BYTES_PER_SECOND

  /** Adds the allowance for `seconds`. The saved allowance covers at most one second. */
  refill(seconds: number): void {
    this.#others = Math.min(OTHERS_PER_SECOND, this.#others + OTHERS_PER_SECOND * seconds)
    this.#bytes = Math.min(BYTES_PER_SECOND, this.#bytes + BYTES_PER_SECOND * seconds)
  }

  /** Reports whether the feed shows this request. */
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
