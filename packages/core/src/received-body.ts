import type { BodyConsumer, FieldList, RequestBody } from '@fw/types'

/** What a `ReceivedBody` asks of the engine that fills it. */
export interface BodySupply {
  /** Somebody wants the body: time to answer `Expect: 100-continue`. */
  onWanted(): void
  /** Enough is buffered: no more octets, please, until `onRoom`. */
  onFull(): void
  onRoom(): void
}

const NO_TRAILERS: FieldList = []

/**
 * A request body between the engine that receives it and the application that may or may not read it. Octets that
 * arrive before they are wanted wait here; the engine is told when they have become too many.
 */
export class ReceivedBody implements RequestBody {
  readonly length: number | undefined
  readonly #supply: BodySupply
  readonly #maxBufferedBytes: number
  #consumer: BodyConsumer | undefined = undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #isPaused = false
  #isFull = false
  #isDiscarded = false
  #trailers: FieldList | undefined = undefined
  #error: Error | undefined = undefined
  #isSettled = false

  /**
   * @param length Octets announced, 0 for no body, `undefined` for an unknown number
   * @param maxBufferedBytes Waiting octets at which the engine is asked to stop
   */
  constructor(length: number | undefined, maxBufferedBytes: number, supply: BodySupply) {
    this.length = length
    this.#maxBufferedBytes = maxBufferedBytes
    this.#supply = supply
  }

  /** Whether somebody reads, or has read, the body. */
  get isWanted(): boolean {
    return this.#consumer !== undefined
  }

  consume(consumer: BodyConsumer): void {
    if (this.#consumer !== undefined) throw new TypeError('Cannot read the body: it is being read already')
    this.#consumer = consumer
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

  /** Takes octets from the wire. */
  push(chunk: Uint8Array): void {
    if (this.#isDiscarded || this.#error !== undefined || chunk.byteLength === 0) return
    if (this.#consumer !== undefined && !this.#isPaused && this.#waiting.length === 0) {
      this.#consumer.data(chunk)
      return
    }
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.byteLength
    if (!this.#isFull && this.#waitingBytes >= this.#maxBufferedBytes) {
      this.#isFull = true
      this.#supply.onFull()
    }
  }

  /** The body is complete. */
  finish(trailers: FieldList = NO_TRAILERS): void {
    this.#trailers = trailers
    this.#deliver()
  }

  /** The body will never be complete. What waits is still delivered first. */
  fail(error: Error): void {
    if (this.#trailers !== undefined || this.#error !== undefined) return
    this.#error = error
    this.#deliver()
  }

  /** Nobody will read the rest: what waits and what comes is thrown away. */
  discard(): void {
    this.#isDiscarded = true
    this.#waiting = []
    this.#waitingBytes = 0
    this.#makeRoom()
  }

  #deliver(): void {
    const consumer = this.#consumer
    if (consumer === undefined || this.#isSettled) return
    while (!this.#isPaused && this.#waiting.length > 0) {
      const chunk = this.#waiting.shift()
      if (chunk === undefined) break
      this.#waitingBytes -= chunk.byteLength
      consumer.data(chunk)
    }
    if (this.#waiting.length > 0) return
    this.#makeRoom()
    if (this.#error !== undefined) {
      this.#isSettled = true
      consumer.error(this.#error)
    } else if (this.#trailers !== undefined && !this.#isPaused) {
      this.#isSettled = true
      consumer.end(this.#trailers)
    }
  }

  #makeRoom(): void {
    if (!this.#isFull || this.#waitingBytes >= this.#maxBufferedBytes) return
    this.#isFull = false
    this.#supply.onRoom()
  }
}
