/** Counts the users of one file in memory. */
export interface Holding {
  /** Bytes of the file. */
  readonly size: number
  /** Responses that are still being sent. */
  borrowers: number
  /** Whether the file is still in the cache. */
  isKept: boolean
}

/**
 * Counts the bytes that only responses in progress keep in memory. The cache can drop a file, but its memory is not freed until
 * the clients have read it.
 */
export class BorrowedBytes {
  #bytes = 0

  /** Bytes of files that the cache has dropped but responses still use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts one more response. Call the returned function once, when that response has ended. */
  lend(holding: Holding): () => void {
    if (holding.borrowers++ === 0 && !holding.isKept) this.#bytes += holding.size
    return () => {
      if (--holding.borrowers === 0 && !holding.isKept) this.#bytes -= holding.size
    }
  }

  /** Records that the cache has dropped the file. */
  drop(holding: Holding): void {
    if (!holding.isKept) return
    holding.isKept = false
    if (holding.borrowers > 0) this.#bytes += holding.size
  }
}
