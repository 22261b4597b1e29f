/** The content of an answer that could not be sent yet, in order. Nothing of it is copied. */
export class AnswerQueue {
  /** Octets that wait. */
  bytes = 0
  /** Whether the application has written everything. */
  isEnding = false
  readonly #chunks: Uint8Array[] = []
  /** Octets of the first chunk that were taken. */
  #taken = 0

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.byteLength
  }

  /** Takes up to `maxBytes` off the front; as many as there are in one piece. */
  take(maxBytes: number): Uint8Array | undefined {
    const chunk = this.#chunks[0]
    if (chunk === undefined) return undefined
    const taken = chunk.subarray(this.#taken, this.#taken + maxBytes)
    this.#taken += taken.byteLength
    this.bytes -= taken.byteLength
    if (this.#taken === chunk.byteLength) {
      this.#chunks.shift()
      this.#taken = 0
    }
    return taken
  }

  clear(): void {
    this.#chunks.length = 0
    this.#taken = 0
    this.bytes = 0
  }
}
