import { BodyRate } from '../engine/exchange/body-rate.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Limits } from '../options/limits.ts'
import { copyBytes, copyBriefly } from '../engine/socket/kept-bytes.ts'
import { ReceivedBody, type BodySupply } from '../engine/exchange/received-body.ts'
import { bodyDecoder, type BodyDecoder } from './body-decoder.ts'
import type { RequestHead } from './request-head.ts'

/** Minimum size of a buffer, in bytes, that a small view must not keep in memory. */
const LARGE_BUFFER_BYTES = 8 * 1024

/** A request body's connection. */
export interface Http1BodyOwner {
  /** Starts receiving the body, because a consumer is reading it. */
  onBodyWanted(receiver: Http1RequestBody): void
  /** Pauses or continues reading, because `isFull` has changed. */
  onBodyFlow(receiver: Http1RequestBody): void
  /** Counts a change in the bytes held for the body. */
  onBodyHeld(difference: number, isReceived: boolean): void
  /** Ends the exchange, because the consumer of the body threw. */
  onBodyFault(receiver: Http1RequestBody): void
  /** Reports whether the next read overwrites these bytes. */
  isLent(bytes: Uint8Array): boolean
}

/** Decodes the body of one request, and passes it from the connection to its consumer. */
export class Http1RequestBody implements BodySupply {
  readonly body: ReceivedBody
  /** Whether the client is waiting for 100 (Continue) before it sends the body. */
  awaitsContinue: boolean
  /** Whether the buffer is full. If so, no more bytes are accepted. */
  isFull = false
  /** Bytes received after the body was discarded. */
  #skippedBytes = 0
  readonly #owner: Http1BodyOwner
  readonly #decoder: BodyDecoder
  readonly #rate: BodyRate
  readonly #limits: Limits
  readonly #requestDeadlineMs: number

  private constructor(
    owner: Http1BodyOwner,
    head: RequestHead,
    decoder: BodyDecoder,
    limits: Limits,
    requestDeadlineMs: number,
  ) {
    const { framing } = head
    this.#owner = owner
    this.#decoder = decoder
    this.#rate = new BodyRate(limits)
    this.#limits = limits
    this.#requestDeadlineMs = requestDeadlineMs
    this.awaitsContinue = head.expectsContinue
    this.body = new ReceivedBody(
      framing.kind === 'length' ? framing.length : undefined,
      limits.maxBufferedBodyBytes,
      this,
    )
  }

  /**
   * Creates a request body.
   *
   * @param headStartMs Time of the first byte of the head. Default: now
   * @returns `undefined` for a request without a body
   */
  static of(
    owner: Http1BodyOwner,
    head: RequestHead,
    limits: Limits,
    deadlines: Deadlines,
    headStartMs: number | undefined,
  ): Http1RequestBody | undefined {
    const decoder = bodyDecoder(head.framing, limits)
    if (decoder === undefined) return undefined
    return new Http1RequestBody(owner, head, decoder, limits, deadlines.in(limits.requestTimeoutMs, headStartMs))
  }

  /** Whether the last byte has been received. */
  get isComplete(): boolean {
    return this.#decoder.done
  }

  /** Returns the time by which the next bytes must arrive; `Infinity` while the server is not waiting for any. */
  deadlineMs(deadlines: Deadlines): number {
    if (this.isFull || this.awaitsContinue) return Infinity
    return Math.min(deadlines.in(this.#limits.bodyStallTimeoutMs), this.#requestDeadlineMs)
  }

  /** Whether the connection must close after the response, instead of waiting for the rest of the body. */
  get endsConnection(): boolean {
    // RFC 9110 §10.1.1: without 100 (Continue), the client can still send its body or omit it.
    if (this.awaitsContinue) return true
    // Discard the rest of an unread body only if it is known to be short.
    const { length, isWanted } = this.body
    return length === undefined || (!isWanted && length > maxSkippedBytes(this.#limits))
  }

  /** Whether more bytes have been discarded than keeping the connection is worth. */
  get isTooLongToSkip(): boolean {
    return this.#skippedBytes > maxSkippedBytes(this.#limits)
  }

  /**
   * Decodes received bytes and passes them to the consumer.
   *
   * @returns The number of bytes read. It can be less than `bytes.length` when the body is complete, or after one share
   * of work, when other connections should have their turn
   * @throws {ProtocolError} if the body is malformed, its framing exceeds a limit, or it arrives too slowly. Earlier
   *   bytes have been passed on
   */
  receive(bytes: Uint8Array): number {
    // A client that sends its body without waiting does not need 100 (Continue).
    this.awaitsContinue = false
    const used = this.#decoder.decode(bytes, this.#take)
    this.#rate.add(used)
    return used
  }

  /** Ends the body for its consumer. Call it when `isComplete`. */
  finish(): void {
    this.body.finish(this.#decoder.trailers)
  }

  readonly #take = (bytes: Uint8Array, start: number, end: number): void => {
    const { body } = this
    if (body.isDiscarded) this.#skippedBytes += end - start
    else body.push(this.#piece(bytes, start, end))
  }

  /**
   * Returns bytes that the consumer can keep. A consumer uses the last piece soon, but can keep earlier ones for a long
   * time.
   */
  #piece(bytes: Uint8Array, start: number, end: number): Uint8Array {
    if (this.#owner.isLent(bytes)) {
      const isUsedSoon = this.body.isFlowing && this.#decoder.done
      return isUsedSoon ? copyBriefly(bytes, start, end) : copyBytes(bytes, start, end)
    }
    return isWasteful(bytes, end - start) ? copyBytes(bytes, start, end) : bytes.subarray(start, end)
  }

  onWanted(): void {
    this.#owner.onBodyWanted(this)
  }

  onFull(): void {
    this.isFull = true
    this.#owner.onBodyFlow(this)
  }

  onRoom(): void {
    this.isFull = false
    this.#rate.restart()
    this.#owner.onBodyFlow(this)
  }

  onHeld(difference: number, isReceived: boolean): void {
    this.#owner.onBodyHeld(difference, isReceived)
  }

  onFault(): void {
    this.#owner.onBodyFault(this)
  }
}

/** Returns the maximum number of body bytes to discard to keep the connection. */
function maxSkippedBytes({ maxSkippedBodyBytes, lingerBytes }: Limits): number {
  return lingerBytes === 0 ? maxSkippedBodyBytes : Math.min(maxSkippedBodyBytes, lingerBytes)
}

/** Reports whether a view keeps more than twice its size in memory, like the pieces of a body in tiny chunks. */
function isWasteful({ buffer }: Uint8Array, length: number): boolean {
  return buffer.byteLength >= LARGE_BUFFER_BYTES && length < buffer.byteLength / 2
}
