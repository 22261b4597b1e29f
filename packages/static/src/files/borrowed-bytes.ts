/** Content in memory, as far as it matters who holds it. */
export interface Holding {
  /** In bytes. */
  readonly size: number
  /** Responses that have not been taken by their clients yet. */
  borrowers: number
  /** Whether it is held anyway. */
  isKept: boolean
}

/**
 * Counts what is held in memory for nobody but clients that have yet to read it: a cache forgets, but what it has lent is
 * not free before it is returned.
 */
export class BorrowedBytes {
  #bytes = 0

  /** Bytes that are lent and not kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** @returns Ends the loan; to be called once */
  lend(holding: Holding): () => void {
    if (holding.borrowers++ === 0 && !holding.isKept) this.#bytes += holding.size
    return () => {
      if (--holding.borrowers === 0 && !holding.isKept) this.#bytes -= holding.size
    }
  }

  /** What was kept is kept no longer. */
  drop(holding: Holding): void {
    if (!holding.isKept) return
    holding.isKept = false
    if (holding.borrowers > 0) this.#bytes += holding.size
  }
}
