/** Places of chunks that were taken, at least, before the others move up. */
const EMPTY_PLACES = 16

/** The content of a response that could not be sent yet, in order. Nothing of it is copied. */
export class ResponseQueue {
  /** Bytes that wait. */
  bytes = 0
  /** Whether the application has written everything. */
  isEnding = false
  #chunks: (Uint8Array | undefined)[] = []
  /** The place of the first chunk. There may be very many, which are not moved for each that is taken. */
  #first = 0
  /** Bytes of the first chunk that were taken. */
  #taken = 0

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.byteLength
  }

  /** Takes up to `maxBytes` off the front; as many as there are in one piece. */
  take(maxBytes: number): Uint8Array | undefined {
    const chunk = this.#chunks[this.#first]
    if (chunk === undefined) return undefined
    const taken = chunk.subarray(this.#taken, this.#taken + maxBytes)
    this.#taken += taken.byteLength
    this.bytes -= taken.byteLength
    if (this.#taken === chunk.byteLength) {
      this.#taken = 0
      this.#chunks[this.#first++] = undefined
      if (this.#first >= EMPTY_PLACES && this.#first * 2 >= this.#chunks.length) this.#moveUp()
    }
    return taken
  }

  clear(): void {
    this.#chunks = []
    this.#first = 0
    this.#taken = 0
    this.bytes = 0
  }

  #moveUp(): void {
    this.#chunks = this.#chunks.slice(this.#first)
    this.#first = 0
  }
}
