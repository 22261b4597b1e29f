import type { BodyConsumer, RequestBody } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'

/** How streams tell the functions of `node:stream` that they are broken. */
const ERRORED = Symbol.for('nodejs.stream.errored')

/** The body of a request that came as a stream, let through as fast as it is read and no sooner. */
export class StreamBody implements RequestBody {
  readonly length: number | undefined
  readonly #stream: ReadableStream<Uint8Array>
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined = undefined
  #consumer: BodyConsumer | undefined = undefined
  /** What arrived after `pause()`. */
  #held: Uint8Array | undefined = undefined
  #isPaused = false
  #isPumping = false
  #isOver = false
  /** Why the body ended before a handler read it. */
  #error: AbortedError | undefined = undefined

  /** @param length Bytes announced, `undefined` for an unknown number */
  constructor(stream: ReadableStream<Uint8Array>, length: number | undefined) {
    this.#stream = stream
    this.length = length
  }

  consume(consumer: BodyConsumer): void {
    if (this.#consumer !== undefined) throw new TypeError('Cannot read the body: it is being read already')
    this.#consumer = consumer
    if (this.#isOver) {
      consumer.error(this.#error ?? new AbortedError('The exchange is over'))
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

  /** Nothing more comes. Whoever still reads is told why, and whoever supplies it that nobody wants it. */
  stop(reason: string): void {
    if (this.#isOver) return
    this.#isOver = true
    const error = (this.#error = new AbortedError(reason))
    if (this.#reader !== undefined || !this.#stream.locked)
      cancelBody(this.#stream, this.#reader ?? this.#stream, error)
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
      consumer.error(new AbortedError('The body of the request broke off', { cause: error }))
    } finally {
      this.#isPumping = false
    }
  }
}

/**
 * Lets go of the body of a `Request`, by the stream itself or the reader that has it. Never throws or rejects: whoever
 * made the request is told by its signal or by the response.
 */
function cancelBody(
  stream: ReadableStream<Uint8Array>,
  holder: Pick<ReadableStream<Uint8Array>, 'cancel'>,
  reason: Error,
): void {
  // Node.js goes on filling the stream of a `FormData` that was cancelled, and fails at it where nobody can catch it. It
  // stops at one that says it is broken.
  Reflect.defineProperty(stream, ERRORED, { value: true, configurable: true })
  holder.cancel(reason).catch(() => {})
}
