import type { Refusal } from '@fw/types'
import { hasHeadBegun, readRequestHead, requestLineOf, type HeadLimits, type RequestHead } from './request-head.ts'

/** Parses the request heads of a connection one after the other, from input that can be split anywhere. */
export class HeadReader {
  readonly #limits: HeadLimits
  #last: RequestHead | undefined = undefined
  /** Number of bytes in the incomplete head that have been checked. */
  #seenBytes = 0
  #startMs: number | undefined = undefined

  constructor(limits: HeadLimits) {
    this.#limits = limits
  }

  /**
   * Time of the first byte of the current or last head; `undefined` if the head arrived in one read or has not started.
   */
  get startMs(): number | undefined {
    return this.#startMs
  }

  /**
   * Parses the next head.
   *
   * @param received All bytes received since the start of the head
   * @returns `undefined` while the head is incomplete
   * @throws {ProtocolError} with the status of the rejection if the head is malformed or exceeds a limit
   */
  read(received: Buffer): RequestHead | undefined {
    if (this.#seenBytes === 0) this.#startMs = undefined
    const head = readRequestHead(received, this.#limits, this.#last, this.#seenBytes)
    if (head === undefined) {
      if (!hasHeadBegun(received)) return undefined
      this.#startMs ??= performance.now()
      this.#seenBytes = received.length
      return undefined
    }
    this.#seenBytes = 0
    return (this.#last = head)
  }

  /** Returns the report for a head that no handler receives. */
  refusal(status: number, reason: string, received: Buffer | undefined, remoteAddress: string | undefined): Refusal {
    const [method, target] = requestLineOf(received)
    // Without checked bytes, `#startMs` belongs to the previous head.
    const startMs = this.#seenBytes > 0 ? this.#startMs : undefined
    const durationMs = startMs === undefined ? 0 : performance.now() - startMs
    return { status, reason, protocol: 'HTTP/1.1', remoteAddress, method, target, bodyBytes: 0, durationMs }
  }
}
