import type { BodyConsumer, RequestBody } from '@fw/types'
import { AbortedError, bodyAlreadyRead } from '../engine/errors.ts'
import { cancelStream } from '../engine/exchange/cancel-stream.ts'

/** Request body that arrives as a stream. Reads from the stream only as fast as the consumer does. */
export class StreamBody implements RequestBody {
  readonly length: number | undefined
  readonly #stream: ReadableStream<Uint8Array>
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined = undefined
  #consumer: BodyConsumer | undefined = undefined
  /** Chunk that arrived after `pause()`. */
  #held: Uint8Array | undefined = undefined
  #isPaused = false
  #isPumping = false
  #isOver = false
  /** Reason why the body ended before a handler read it. */
  #error: AbortedError | undefined = undefined

  /** @param length Announced number of bytes; `undefined` if unknown */
  constructor(stream: ReadableStream<Uint8Array>, length: number | undefined) {
    this.#stream = stream
    this.length = length
  }

  consume(consumer: BodyConsumer): void {
    if (this.#consumer !== undefined) throw bodyAlreadyRead()
    this.#consumer = consumer
    if (this.#isOver) {
      consumer.error(this.#error ?? new AbortedError('The exchange has ended'))
      return
    }
    this.#reader = this.#stream.getReader()
    void this.#pump(this.#reader, consumer)
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    if (this.#reader === undefined || this.#consumer === undefined) return
    if (!this.#isPumping) void this.#pump(this.#reader, this.#consumer)
  }

  /** Ends the body. Reports the reason to the consumer, and cancels the source. */
  stop(error: AbortedError): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    if (this.#reader !== undefined || !this.#stream.locked)
      cancelStream(this.#stream, this.#reader ?? this.#stream, error)
    this.#consumer?.error(error)
  }

  async #pump(reader: ReadableStreamDefaultReader<Uint8Array>, consumer: BodyConsumer): Promise<void> {
    this.#isPumping = true
    try {
      while (!this.#isPaused && !this.#isOver) {
        const value = this.#held ?? (await reader.read()).value
        this.#held = undefined
        if (this.#isOver) break
        if (value === undefined) {
          this.#isOver = true
          consumer.end([])
        } else if (this.#isPaused) this.#held = value
        else if (value.byteLength > 0) consumer.data(value)
      }
    } catch (error) {
      this.#isOver = true
      consumer.error(new AbortedError('The request body is incomplete', { cause: error }))
    } finally {
      this.#isPumping = false
    }
  }
}
