/** Octets per read: larger gains little, and every slow client holds one. */
const BUFFER_BYTES = 64 * 1024
/** Buffers kept for later, 4 MiB in all. */
const MAX_IDLE = 64

/** Buffers for reading files, used again because making one anew for each read costs more than the read. */
export class BufferPool {
  readonly #idle: Buffer[] = []

  take(): Buffer {
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /** @param buffer Nobody may hold it any more: the next taker writes into it */
  give(buffer: Buffer): void {
    if (this.#idle.length < MAX_IDLE) this.#idle.push(buffer)
  }
}
