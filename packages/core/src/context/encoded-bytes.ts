import type { BodyConsumer, FieldList, RequestBody } from '@fw/types'
import { tooLarge } from './body-collector.ts'

/**
 * Iterates over the bytes of a body as received, with backpressure: the body is paused while a chunk waits. The iteration
 * throws 413 above `maxBytes`.
 */
export class EncodedBytes implements BodyConsumer, AsyncIterable<Uint8Array> {
  readonly #body: RequestBody
  readonly #maxBytes: number
  readonly #waiting: Uint8Array[] = []
  #size = 0
  #trailers: FieldList | undefined = undefined
  #error: Error | undefined = undefined
  #wake: (() => void) | undefined = undefined
  #isReading = false

  /** Reads nothing before the first iteration, so that a decoder can refuse the body before the client sends it. */
  constructor(body: RequestBody, maxBytes: number) {
    this.#body = body
    this.#maxBytes = maxBytes
  }

  /** The trailer fields; empty while the body is incomplete. */
  get trailers(): FieldList {
    return this.#trailers ?? []
  }

  /** The error that ended the body early. */
  get failure(): Error | undefined {
    return this.#error
  }

  data(chunk: Uint8Array): void {
    if (this.#error !== undefined) return
    this.#size += chunk.byteLength
    this.#body.pause()
    if (this.#size > this.#maxBytes) {
      this.abort(tooLarge(this.#maxBytes))
      return
    }
    this.#waiting.push(chunk)
    this.#wake?.()
  }

  end(trailers: FieldList): void {
    this.#trailers = trailers
    this.#wake?.()
  }

  error(error: Error): void {
    this.#error ??= error
    this.#wake?.()
  }

  /** Ends the iteration with an error, and drops the chunks that wait. */
  abort(error: Error): void {
    this.#waiting.length = 0
    this.error(error)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    if (!this.#isReading) {
      this.#isReading = true
      this.#body.consume(this)
    }
    for (;;) {
      const chunk = this.#waiting.shift()
      if (chunk !== undefined) yield chunk
      else if (this.#error !== undefined) throw this.#error
      else if (this.#trailers !== undefined) return
      else {
        const arrival = new Promise<void>((resolve) => (this.#wake = resolve))
        this.#body.resume()
        await arrival
      }
    }
  }
}
