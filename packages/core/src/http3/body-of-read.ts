/** Where slices are put together; longer than what is read at a time. */
const joined = Buffer.allocUnsafeSlow(16 * 1024)

const NOTHING = new Uint8Array()

/**
 * The content among the bytes of one read, in one piece however many frames it came in: a client that sends frames of
 * a byte each must not make us keep an object for each byte.
 */
export class BodyOfRead {
  #first: Uint8Array | undefined = undefined
  #joinedBytes = 0

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  /** @param slice Behind the others; valid until the next read. All of a read are at most 16 KiB */
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
   * A copy of what was added, for whoever gets it to keep.
   *
   * @param waits Whether it may be kept for long: then it has memory of its own, which keeps no other's from being freed
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
