import type { BodyConsumer, FieldList, RequestBody } from '@fw/types'
import { AbortedError, bodyAlreadyRead } from '../errors.ts'

/** The engine that supplies a `ReceivedBody`. */
export interface BodySupply {
  /** Starts the supply, because a consumer is reading the body. The engine now answers `Expect: 100-continue`. */
  onWanted(): void
  /** Stops the supply until `onRoom`, because the buffer has reached its limit. */
  onFull(): void
  /** Continues the supply after `onFull`. */
  onRoom(): void
  /**
   * Reports a change in the bytes held for the body, here or by its consumer.
   *
   * @param isReceived Whether the client has sent the bytes. Otherwise they were made from the body
   */
  onHeld?(difference: number, isReceived: boolean): void
  /** Ends the exchange, because the consumer threw. */
  onFault?(error: unknown): void
}

/** The supply of an empty body, which ignores all events. */
const NO_SUPPLY: BodySupply = { onWanted: ignore, onFull: ignore, onRoom: ignore }

/**
 * Memory that a buffered slice uses in addition to its content, in bytes. If it were not counted, many small slices
 * would exceed the limit.
 */
const SLICE_OVERHEAD_BYTES = 128

const NO_TRAILERS: FieldList = []

/**
 * Passes a request body from its engine to the application. Buffers bytes until a consumer reads them, and stops the
 * engine at `maxBufferedBytes`.
 */
export class ReceivedBody implements RequestBody {
  readonly length: number | undefined
  readonly #supply: BodySupply
  readonly #maxBufferedBytes: number
  #consumer: BodyConsumer | undefined = undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** Received bytes last reported by `onHeld`. */
  #heldBytes = 0
  /** Bytes held by calls of `hold`. */
  #madeBytes = 0
  #isPaused = false
  #isFull = false
  #isDiscarded = false
  #trailers: FieldList | undefined = undefined
  #error: Error | undefined = undefined
  #isSettled = false
  #isDelivering = false

  /**
   * @param length Announced length in bytes; 0 for no body, `undefined` if unknown
   * @param maxBufferedBytes Number of buffered bytes, including overhead, at which the engine stops
   */
  constructor(length: number | undefined, maxBufferedBytes: number, supply: BodySupply) {
    this.length = length
    this.#maxBufferedBytes = maxBufferedBytes
    this.#supply = supply
  }

  /** Whether a consumer is reading, or has read, the body. */
  get isWanted(): boolean {
    return this.#consumer !== undefined
  }

  /** Whether further bytes are discarded. */
  get isDiscarded(): boolean {
    return this.#isDiscarded
  }

  /** Whether the consumer receives further bytes immediately, without buffering. */
  get isFlowing(): boolean {
    return this.#consumer !== undefined && !this.#isPaused && this.#waiting.length === 0
  }

  consume(consumer: BodyConsumer): void {
    if (this.#consumer !== undefined) throw bodyAlreadyRead()
    this.#consumer = consumer
    if (this.#isDiscarded) {
      this.#notifyDiscarded(consumer)
      return
    }
    if (this.#trailers === undefined && this.#error === undefined) this.#supply.onWanted()
    this.#deliver()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#deliver()
  }

  hold(difference: number): void {
    this.#madeBytes += difference
    this.#supply.onHeld?.(difference, false)
  }

  /** Adds received bytes. */
  push(chunk: Uint8Array): void {
    if (this.#isSettled || this.#isDiscarded || this.#error !== undefined || chunk.byteLength === 0) return
    const consumer = this.#consumer
    if (consumer !== undefined && this.isFlowing) {
      if (consumer.isCollecting === true) this.#hold(chunk.byteLength)
      else if (this.#madeBytes > 0) this.#notePassed(chunk.byteLength)
      this.#call(() => consumer.data(chunk))
      return
    }
    this.#hold(chunk.byteLength + SLICE_OVERHEAD_BYTES)
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.byteLength + SLICE_OVERHEAD_BYTES
    if (!this.#isFull && this.#waitingBytes >= this.#maxBufferedBytes) {
      this.#isFull = true
      this.#supply.onFull()
    }
  }

  /** Marks the body as complete. */
  finish(trailers: FieldList = NO_TRAILERS): void {
    this.#trailers = trailers
    // Bytes that a consumer has collected now belong to the handler, and no longer count as held for the client.
    if (this.#waiting.length === 0) this.#letGo()
    this.#deliver()
  }

  /** Marks the body as failed. Buffered bytes are still delivered before the error. */
  fail(error: Error): void {
    if (this.#trailers !== undefined || this.#error !== undefined) return
    this.#error = error
    this.#letGo()
    this.#deliver()
  }

  /** Drops buffered and further bytes. The consumer, if any, receives an error. */
  discard(): void {
    this.#isDiscarded = true
    this.#waiting = []
    this.#waitingBytes = 0
    this.#letGo()
    this.#makeRoom()
    const consumer = this.#consumer
    if (consumer !== undefined && !this.#isSettled) this.#notifyDiscarded(consumer)
  }

  #notifyDiscarded(consumer: BodyConsumer): void {
    this.#isSettled = true
    // A body that has not failed is discarded only when its response is complete.
    const error = this.#error ?? new AbortedError('The response was complete before the request was read')
    this.#call(() => consumer.error(error))
  }

  #deliver(): void {
    const consumer = this.#consumer
    if (consumer === undefined || this.#isSettled || this.#isDelivering) return
    this.#isDelivering = true
    while (!this.#isPaused && !this.#isSettled && this.#waiting.length > 0) {
      const chunk = this.#waiting.shift()
      if (chunk === undefined) break
      this.#waitingBytes -= chunk.byteLength + SLICE_OVERHEAD_BYTES
      if (consumer.isCollecting !== true) this.#hold(-chunk.byteLength - SLICE_OVERHEAD_BYTES)
      this.#call(() => consumer.data(chunk))
    }
    this.#isDelivering = false
    if (this.#waiting.length > 0 || this.#isSettled) return
    if (this.#trailers !== undefined) this.#letGo()
    this.#makeRoom()
    const [error, trailers] = [this.#error, this.#trailers]
    if (error !== undefined) {
      this.#isSettled = true
      this.#call(() => consumer.error(error))
    } else if (trailers !== undefined && !this.#isPaused) {
      this.#isSettled = true
      this.#call(() => consumer.end(trailers))
    }
  }

  /** Calls the consumer. An error that it throws ends only its exchange, not the connection or the process. */
  #call(callback: () => void): void {
    try {
      callback()
    } catch (error) {
      this.#isSettled = true
      this.#isDiscarded = true
      this.#waiting = []
      this.#waitingBytes = 0
      this.#letGo()
      process.emitWarning(error instanceof Error ? error : String(error))
      this.#supply.onFault?.(error)
    }
  }

  #hold(difference: number): void {
    // The end of the body or a failure has already released all bytes.
    if (difference < 0 && this.#heldBytes < -difference) return
    this.#heldBytes += difference
    this.#supply.onHeld?.(difference, true)
  }

  /** Reports bytes that are not held, so that a client whose decoded bytes are held is seen to make progress. */
  #notePassed(bytes: number): void {
    this.#supply.onHeld?.(bytes, true)
    this.#supply.onHeld?.(-bytes, true)
  }

  #letGo(): void {
    if (this.#heldBytes === 0) return
    const held = this.#heldBytes
    this.#heldBytes = 0
    this.#supply.onHeld?.(-held, true)
  }

  #makeRoom(): void {
    if (!this.#isFull || this.#waitingBytes >= this.#maxBufferedBytes) return
    this.#isFull = false
    this.#supply.onRoom()
  }
}

/** Returns the complete body of a request that ended with its head. */
export function emptyBody(): ReceivedBody {
  const body = new ReceivedBody(0, 0, NO_SUPPLY)
  body.finish()
  return body
}

function ignore(): void {}
