import { BodyRate } from '../engine/exchange/body-rate.ts'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Limits } from '../options/limits.ts'
import { copyBytes, copyBriefly } from '../engine/socket/kept-bytes.ts'
import { ReceivedBody, type BodySupply } from '../engine/exchange/received-body.ts'
import { bodyDecoder, type BodyDecoder } from './body-decoder.ts'
import type { RequestHead } from './request-head.ts'

/** What a small request is received in is not worth a thought. */
const LARGE_BUFFER_BYTES = 8 * 1024

/** What a `Http1RequestBody` asks of its connection. */
export interface Http1BodyOwner {
  /** Somebody wants the body. */
  onBodyWanted(receiver: Http1RequestBody): void
  /** Whether more bytes are taken (`isFull`) has changed. */
  onBodyFlow(receiver: Http1RequestBody): void
  /** Reports that more bytes of the body are held; fewer if negative. */
  onBodyHeld(difference: number): void
  /** Whoever reads the body threw. */
  onBodyFault(receiver: Http1RequestBody): void
  /** Reports whether the next read overwrites these bytes. */
  isLent(bytes: Uint8Array): boolean
}

/** The body of one request on its way from the socket to its reader. */
export class Http1RequestBody implements BodySupply {
  readonly body: ReceivedBody
  /** Whether the client waits for 100 (Continue) before it sends the body. */
  awaitsContinue: boolean
  /** Whether so much waits for the reader that no more is taken. */
  isFull = false
  /** Bytes that came after the body was given up. */
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
   * @param headStartMs When the head of the request began to arrive; now, unless it is given
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

  /** When the next bytes must have come; `Infinity` while nobody waits for them. */
  deadlineMs(deadlines: Deadlines): number {
    if (this.isFull || this.awaitsContinue) return Infinity
    return Math.min(deadlines.in(this.#limits.bodyStallTimeoutMs), this.#requestDeadlineMs)
  }

  /** Whether a connection whose response is complete ends with it, rather than to wait for the rest of the body. */
  get endsConnection(): boolean {
    // RFC 9110 §10.1.1: whether the body comes after all cannot be known.
    if (this.awaitsContinue) return true
    // Passing over the rest of a body is worth it only when it is known to be short.
    const { length, isWanted } = this.body
    return length === undefined || (!isWanted && length > maxSkippedBytes(this.#limits))
  }

  /** Whether so much of a body that nobody reads has come that the connection is better given up. */
  get isTooLongToSkip(): boolean {
    return this.#skippedBytes > maxSkippedBytes(this.#limits)
  }

  /**
   * Passes on what was received.
   *
   * @returns How many bytes were read; fewer than all when the body is complete, and after so much work that others should
   *   have a turn before the rest is given
   * @throws {ProtocolError} if the body is malformed, too long where its length was not announced, or too slow; what came
   *   before has been passed on
   */
  receive(bytes: Uint8Array): number {
    // A client that sends its body without waiting needs no 100 (Continue).
    this.awaitsContinue = false
    const used = this.#decoder.decode(bytes, this.#take)
    this.#rate.add(used)
    return used
  }

  /** Ends the body for its reader, once it is complete. */
  finish(): void {
    this.body.finish(this.#decoder.trailers)
  }

  readonly #take = (bytes: Uint8Array, start: number, end: number): void => {
    const { body } = this
    if (body.isDiscarded) this.#skippedBytes += end - start
    else body.push(this.#piece(bytes, start, end))
  }

  /** Bytes for the reader to keep. The last of them are soon used, but others may wait long for those that follow. */
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

  onHeld(difference: number): void {
    this.#owner.onBodyHeld(difference)
  }

  onFault(): void {
    this.#owner.onBodyFault(this)
  }
}

/** Returns the longest rest of a body to discard for the next request. */
function maxSkippedBytes({ maxSkippedBodyBytes, lingerBytes }: Limits): number {
  return lingerBytes === 0 ? maxSkippedBodyBytes : Math.min(maxSkippedBodyBytes, lingerBytes)
}

/** Whether a view of so many bytes keeps much more in memory than it shows, as those of a body in tiny chunks do. */
function isWasteful({ buffer }: Uint8Array, length: number): boolean {
  return buffer.byteLength >= LARGE_BUFFER_BYTES && length < buffer.byteLength / 2
}
