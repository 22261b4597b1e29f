import { IncompleteResponse } from '../response-error.ts'
import type { RawStream } from './raw-stream.ts'
import { readVarint } from './wire.ts'

/** Reads the frames of a stream, but never further than the caller requests. */
export class FrameSource {
  readonly #stream: RawStream
  #ahead: Buffer = Buffer.alloc(0)

  constructor(stream: RawStream) {
    this.#stream = stream
  }

  /** Reads a variable-length integer, such as a stream type; `undefined` if the stream has ended. */
  async number(): Promise<number | undefined> {
    for (;;) {
      const found = readVarint(this.#ahead, 0)
      if (found !== undefined) {
        this.#ahead = this.#ahead.subarray(found.end)
        return found.value
      }
      if (!(await this.#more())) {
        if (this.#ahead.length > 0) throw new IncompleteResponse('The stream ends within a frame')
        return undefined
      }
    }
  }

  /** Reads the next frame header; `undefined` at the end. Read the payload before the next call. */
  async next(): Promise<{ type: number; length: number } | undefined> {
    const type = await this.number()
    if (type === undefined) return undefined
    const length = await this.number()
    if (length === undefined) throw new IncompleteResponse('The stream ends within a frame')
    return { type, length }
  }

  /** Yields the payload of a frame as it arrives. */
  async *slices(length: number): AsyncGenerator<Uint8Array, void, void> {
    for (let left = length; left > 0;) {
      if (this.#ahead.length === 0 && !(await this.#more())) {
        throw new IncompleteResponse('The stream ends within a frame')
      }
      const slice = this.#ahead.subarray(0, left)
      this.#ahead = this.#ahead.subarray(slice.length)
      left -= slice.length
      yield slice
    }
  }

  /** Reads the whole payload of a frame. */
  async payload(length: number): Promise<Buffer> {
    const slices: Uint8Array[] = []
    for await (const slice of this.slices(length)) slices.push(slice)
    return Buffer.concat(slices)
  }

  async #more(): Promise<boolean> {
    const slice = await this.#stream.read()
    if (slice === undefined) return false
    this.#ahead = Buffer.concat([this.#ahead, slice])
    return true
  }
}
