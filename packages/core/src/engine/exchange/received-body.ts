import type { BodyConsumer, FieldList, RequestBody } from '@fw/types'
import { AbortedError } from '../errors.ts'

/** What a `ReceivedBody` asks of the engine that fills it. */
export interface BodySupply {
  /** Somebody wants the body: time to answer `Expect: 100-continue`. */
  onWanted(): void
  /** Enough is buffered: no more bytes, please, until `onRoom`. */
  onFull(): void
  onRoom(): void
  /** Reports that more bytes of the body are held, here or by a consumer that collects it; fewer if negative. */
  onHeld?(difference: number): void
  /** Whoever reads threw: the exchange cannot go on. */
  onFault?(error: unknown): void
}

/** What keeping a slice costs besides its bytes, so that many small ones count for what they take. */
const SLICE_OVERHEAD_BYTES = 128

const NO_TRAILERS: FieldList = []

/**
 * A request body between the engine that receives it and the application that may or may not read it. Bytes that
 * arrive before they are wanted wait here; the engine is told when they have become too many.
 */
export class ReceivedBody implements RequestBody {
  readonly length: number | undefined
  readonly #supply: BodySupply
  readonly #maxBufferedBytes: number
  #consumer: BodyConsumer | undefined = undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  /** Bytes that were reported to the supply. */
  #heldBytes = 0
  #isPaused = false
  #isFull = false
  #isDiscarded = false
  #trailers: FieldList | undefined = undefined
  #error: Error | undefined = undefined
  #isSettled = false
  #isDelivering = false

  /**
   * @param length Bytes announced, 0 for no body, `undefined` for an unknown number
   * @param maxBufferedBytes Waiting bytes at which the engine is asked to stop
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

  /** Whether what comes is thrown away. */
  get isDiscarded(): boolean {
    return this.#isDiscarded
  }

  /** Whether what comes goes on at once, and does not wait here. */
  get isFlowing(): boolean {
    return this.#consumer !== undefined && !this.#isPaused && this.#waiting.length === 0
  }

  consume(consumer: BodyConsumer): void {
    if (this.#consumer !== undefined) throw new TypeError('Cannot read the body: it is being read already')
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

  /** Takes bytes from the wire. */
  push(chunk: Uint8Array): void {
    if (this.#isSettled || this.#isDiscarded || this.#error !== undefined || chunk.byteLength === 0) return
    const consumer = this.#consumer
    if (consumer !== undefined && this.isFlowing) {
      if (consumer.isCollecting === true) this.#hold(chunk.byteLength)
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

  /** The body is complete. */
  finish(trailers: FieldList = NO_TRAILERS): void {
    this.#trailers = trailers
    // A consumer that has all of it holds it for itself, or for its handler.
    if (this.#waiting.length === 0) this.#letGo()
    this.#deliver()
  }

  /** The body will never be complete. What waits is still delivered first. */
  fail(error: Error): void {
    if (this.#trailers !== undefined || this.#error !== undefined) return
    this.#error = error
    this.#letGo()
    this.#deliver()
  }

  /** Nobody needs the rest: what waits and what comes is thrown away, and whoever still reads is told. */
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
    // The failure says why bytes are missing. A body without one was discarded because of the response.
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

  /** A consumer that throws must not take the connection, or the process, with it. */
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
    // After its end, or a failure, nothing of it is the client's doing any more.
    if (difference < 0 && this.#heldBytes < -difference) return
    this.#heldBytes += difference
    this.#supply.onHeld?.(difference)
  }

  #letGo(): void {
    if (this.#heldBytes === 0) return
    const held = this.#heldBytes
    this.#heldBytes = 0
    this.#supply.onHeld?.(-held)
  }

  #makeRoom(): void {
    if (!this.#isFull || this.#waitingBytes >= this.#maxBufferedBytes) return
    this.#isFull = false
    this.#supply.onRoom()
  }
}
