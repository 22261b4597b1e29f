/** Bytes per read where nothing is scarce: a quarter of it costs half as much again in processor time. */
export const LARGE_BYTES: number = 256 * 1024
/** Bytes per read of short bodies, and of those that are too many for large buffers. */
export const SMALL_BYTES: number = 64 * 1024
/** Large buffers in use or kept for later, 16 MiB in all: each client that does not read holds one. */
const MAX_LARGE = 64
/** Small buffers kept for later, 4 MiB in all. */
const MAX_IDLE_SMALL = 64

/** Buffers for reading files, used again because making one anew for each read costs more than the read. */
// docs/decisions/0051
export class BufferPool {
  readonly #large: Buffer[] = []
  readonly #small: Buffer[] = []
  #largeInUse = 0

  /** @param length Bytes still to be read, so that little is not read into much */
  take(length: number): Buffer {
    if (length <= SMALL_BYTES || this.#largeInUse === MAX_LARGE) {
      return this.#small.pop() ?? Buffer.allocUnsafeSlow(SMALL_BYTES)
    }
    this.#largeInUse++
    return this.#large.pop() ?? Buffer.allocUnsafeSlow(LARGE_BYTES)
  }

  /** @param buffer Nobody may hold it any more: the next taker writes into it */
  give(buffer: Buffer): void {
    this.drop(buffer)
    if (buffer.byteLength === LARGE_BYTES) this.#large.push(buffer)
    else if (this.#small.length < MAX_IDLE_SMALL) this.#small.push(buffer)
  }

  /** Takes leave of a buffer that somebody may still hold. */
  drop(buffer: Buffer): void {
    if (buffer.byteLength === LARGE_BYTES) this.#largeInUse--
  }
}
