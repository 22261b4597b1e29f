/** Buffer in which slices are joined; larger than one read. */
const joined = Buffer.allocUnsafeSlow(16 * 1024)

const NOTHING = new Uint8Array()

/**
 * Joins the content of one read into one chunk, regardless of the number of DATA frames. If a client sends one-byte
 * frames, the server therefore does not keep one object per byte.
 */
export class BodyOfRead {
  #first: Uint8Array | undefined = undefined
  #joinedBytes = 0

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  /**
   * Adds the next slice.
   *
   * @param slice Valid until the next read. The slices of one read are at most 16 KiB together
   */
  add(slice: Uint8Array): void {
    const first = this.#first
    if (first === undefined) {
      this.#first = slice
      return
    }
    if (this.#joinedBytes === 0) {
      joined.set(first)
      this.#joinedBytes = first.byteLength
    }
    joined.set(slice, this.#joinedBytes)
    this.#joinedBytes += slice.byteLength
  }

  /**
   * Returns a copy of the added bytes, and empties the buffer.
   *
   * @param waits Whether the copy can be kept for a long time. The copy then has its own memory, so that it does not
   * retain a shared pool
   */
  take(waits: boolean): Buffer {
    const body = this.#joinedBytes > 0 ? joined.subarray(0, this.#joinedBytes) : (this.#first ?? NOTHING)
    this.clear()
    const copy = waits ? Buffer.allocUnsafeSlow(body.byteLength) : Buffer.allocUnsafe(body.byteLength)
    copy.set(body)
    return copy
  }

  clear(): void {
    this.#first = undefined
    this.#joinedBytes = 0
  }
}
