/** Bytes per read by default. Reads of a quarter of this size cost 50% more CPU time. */
export const LARGE_BYTES: number = 256 * 1024
/** Bytes per read for short bodies, and for all bodies while all large buffers are in use. */
export const SMALL_BYTES: number = 64 * 1024
/** Maximum number of large buffers, 16 MiB in total. Each client that does not read occupies one. */
const MAX_LARGE = 64
/** Maximum number of idle small buffers, 4 MiB in total. */
const MAX_IDLE_SMALL = 64

/** Reuses read buffers, because allocating a buffer costs more than the read. */
// docs/decisions/0051
export class BufferPool {
  readonly #large: Buffer[] = []
  readonly #small: Buffer[] = []
  #largeInUse = 0

  /** Returns a buffer. @param length Bytes left to read; for few bytes, the buffer is small */
  take(length: number): Buffer {
    if (length <= SMALL_BYTES || this.#largeInUse === MAX_LARGE) {
      return this.#small.pop() ?? Buffer.allocUnsafeSlow(SMALL_BYTES)
    }
    this.#largeInUse++
    return this.#large.pop() ?? Buffer.allocUnsafeSlow(LARGE_BYTES)
  }

  /** Returns a buffer to the pool. The caller must not use it again, because the next `take` overwrites it. */
  give(buffer: Buffer): void {
    this.drop(buffer)
    if (buffer.byteLength === LARGE_BYTES) this.#large.push(buffer)
    else if (this.#small.length < MAX_IDLE_SMALL) this.#small.push(buffer)
  }

  /** Stops counting a buffer that is still in use and therefore must not return to the pool. */
  drop(buffer: Buffer): void {
    if (buffer.byteLength === LARGE_BYTES) this.#largeInUse--
  }
}
