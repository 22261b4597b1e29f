/** Slices given to the transport are no larger, so that one response cannot hold up all the others. */
const SLICE_BYTES = 64 * 1024

/** Gives bytes to the transport. @returns Bytes taken, -1 if nobody will receive them */
export type SendBytes = (chunk: Uint8Array, isEnd: boolean) => number

const NOTHING = new Uint8Array()

/** The bytes of a stream that the transport has not taken yet, in order. */
export class StreamOutput {
  readonly #send: SendBytes
  readonly #queue: Uint8Array[] = []
  /** Bytes of the first chunk that were taken. */
  #offset = 0
  #bufferedBytes = 0
  #isEnding = false
  #isEnded = false

  constructor(send: SendBytes) {
    this.#send = send
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes
  }

  /** Whether the end, and so everything, was taken. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Puts bytes behind the others; `flush` sends them. */
  push(chunk: Uint8Array): void {
    if (this.#isEnding || chunk.byteLength === 0) return
    this.#queue.push(chunk)
    this.#bufferedBytes += chunk.byteLength
  }

  /** Nothing follows; `flush` says so. */
  end(): void {
    this.#isEnding = true
  }

  /** Drops what was not taken. */
  clear(): void {
    this.#isEnding = true
    this.#isEnded = true
    this.#queue.length = 0
    this.#bufferedBytes = 0
  }

  /** Sends as much as the transport takes. @returns Whether it took anything */
  flush(): boolean {
    const before = this.#bufferedBytes
    for (let chunk = this.#queue[0]; chunk !== undefined; chunk = this.#queue[0]) {
      const rest = chunk.byteLength - this.#offset
      const size = Math.min(rest, SLICE_BYTES)
      const isEnd = this.#isEnding && this.#queue.length === 1 && size === rest
      const taken = this.#send(chunk.subarray(this.#offset, this.#offset + size), isEnd)
      // Nobody is there: whoever owns this has been told, and has dropped the rest.
      if (taken < 0) return false
      this.#bufferedBytes -= taken
      this.#offset += taken
      if (this.#offset < chunk.byteLength) {
        if (taken < size) break
        continue
      }
      this.#queue.shift()
      this.#offset = 0
      if (isEnd) this.#isEnded = true
    }
    if (this.#isEnding && !this.#isEnded && this.#queue.length === 0) this.#isEnded = this.#send(NOTHING, true) >= 0
    return this.#isEnded || this.#bufferedBytes < before
  }
}
