import type { BufferPool } from './buffer-pool.ts'

/** Maximum number of buffers per body that the transport holds. Beyond this number, the pool drops the oldest buffer. */
const MAX_LENT = 3

/**
 * Manages the buffers for one body: one for the next read, and those that the transport might still be using. On a shared
 * connection, bytes of one body can be sent after bytes of other bodies.
 */
export class SliceBuffers {
  readonly #pool: BufferPool
  /** Buffer for the next read, which the transport does not hold. */
  #next: Buffer | undefined
  /** Buffers that the transport might hold, the oldest first. */
  #lent: Buffer[] = []

  constructor(pool: BufferPool) {
    this.#pool = pool
  }

  /** Returns the buffer to read into, which remains the same until `lend`. @param length Bytes left to read */
  next(length: number): Buffer {
    return (this.#next ??= this.#pool.take(length))
  }

  /** Records that the transport holds the buffer. */
  lend(): void {
    if (this.#next !== undefined) this.#lent.push(this.#next)
    this.#next = undefined
    if (this.#lent.length > MAX_LENT) this.#drop(this.#lent.splice(0, 1))
  }

  /** Reuses all buffers, because the transport has sent every byte. */
  takeBack(): void {
    for (const buffer of this.#lent) {
      if (this.#next === undefined) this.#next = buffer
      else this.#pool.give(buffer)
    }
    this.#lent = []
  }

  /** Ends the body. The transport keeps the buffers that it holds. */
  close(): void {
    this.#drop(this.#lent)
    if (this.#next !== undefined) this.#pool.give(this.#next)
    this.#lent = []
    this.#next = undefined
  }

  #drop(buffers: readonly Buffer[]): void {
    for (const buffer of buffers) this.#pool.drop(buffer)
  }
}
