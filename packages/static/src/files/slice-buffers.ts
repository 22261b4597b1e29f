import type { BufferPool } from './buffer-pool.ts'

/** Buffers that a transport may hold of one body until the first of them is left to it. */
const MAX_LENT = 3

/**
 * The buffers of one body: one to read the next slice into, and those that the transport may still read from. Where several
 * bodies share a connection, what the transport holds of one leaves with the others, a little later.
 */
export class SliceBuffers {
  readonly #pool: BufferPool
  /** Not held by anybody else. */
  #next: Buffer | undefined
  /** The oldest first. */
  #lent: Buffer[] = []

  constructor(pool: BufferPool) {
    this.#pool = pool
  }

  /** The buffer to read into, the same until it is lent. @param length Bytes still to be read */
  next(length: number): Buffer {
    return (this.#next ??= this.#pool.take(length))
  }

  /** The transport was given what is in the buffer. */
  lend(): void {
    if (this.#next !== undefined) this.#lent.push(this.#next)
    this.#next = undefined
    if (this.#lent.length > MAX_LENT) this.#drop(this.#lent.splice(0, 1))
  }

  /** The transport holds nothing any more. */
  takeBack(): void {
    for (const buffer of this.#lent) {
      if (this.#next === undefined) this.#next = buffer
      else this.#pool.give(buffer)
    }
    this.#lent = []
  }

  /** The body is over; what is lent is left to the transport. */
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
