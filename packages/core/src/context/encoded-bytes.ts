import type { BodyConsumer, FieldList, RequestBody } from '@fw/types'
import { concatBytes } from '../engine/socket/kept-bytes.ts'
import { tooLarge } from './body-collector.ts'

/** Bytes that wait for the decoder, with the overhead of their chunks, at which the body is paused. */
const MAX_WAITING_BYTES = 16 * 1024
/** Memory that a chunk uses in addition to its bytes, in bytes. Without it, many small chunks would exceed the limit. */
const CHUNK_OVERHEAD_BYTES = 128

/** Observer of `EncodedBytes`. */
export interface EncodedObserver {
  /** Called when the decoder waits for bytes that have not arrived. */
  onStarved(): void
  /** Called when bytes have arrived for a decoder that was waiting. They are passed on when the result resolves. */
  onFed(): Promise<void> | undefined
}

/**
 * Iterates over the bytes of a body as received, with backpressure. Joins the chunks that wait: a decoder call costs as much as
 * thousands of bytes. The iteration throws 413 above `maxBytes`.
 */
export class EncodedBytes implements BodyConsumer, AsyncIterable<Uint8Array> {
  readonly #body: RequestBody
  readonly #maxBytes: number
  readonly #observer: EncodedObserver
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #size = 0
  #trailers: FieldList | undefined = undefined
  #error: Error | undefined = undefined
  #wake: (() => void) | undefined = undefined
  #isReading = false

  /** Reads nothing before the first iteration, so that a decoder can refuse the body before the client sends it. */
  constructor(body: RequestBody, maxBytes: number, observer: EncodedObserver) {
    this.#body = body
    this.#maxBytes = maxBytes
    this.#observer = observer
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
    if (this.#size > this.#maxBytes) {
      this.#body.pause()
      this.abort(tooLarge(this.#maxBytes))
      return
    }
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.byteLength + CHUNK_OVERHEAD_BYTES
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#body.pause()
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
    this.#take()
    this.error(error)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    if (!this.#isReading) {
      this.#isReading = true
      this.#body.consume(this)
    }
    for (;;) {
      const chunks = this.#take()
      const [first] = chunks
      if (first !== undefined) yield chunks.length === 1 ? first : concatBytes(chunks)
      else if (this.#error !== undefined) throw this.#error
      else if (this.#trailers !== undefined) return
      else {
        const arrival = new Promise<void>((resolve) => (this.#wake = resolve))
        this.#body.resume()
        this.#observer.onStarved()
        await arrival
        const fed = this.#observer.onFed()
        if (fed !== undefined) await fed
      }
    }
  }

  #take(): readonly Uint8Array[] {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    return waiting
  }
}
