import type { Refusal } from '@fw/types'
import { hasHeadBegun, readRequestHead, requestLineOf, type HeadLimits, type RequestHead } from './request-head.ts'

/** Reads the heads of a connection one after the other, in whatever pieces they arrive. */
export class HeadReader {
  readonly #limits: HeadLimits
  #last: RequestHead | undefined = undefined
  /** Bytes that were there when the head was found incomplete. */
  #seenBytes = 0
  #startMs: number | undefined = undefined

  constructor(limits: HeadLimits) {
    this.#limits = limits
  }

  /** When the head that was read last, or is awaited, began to arrive; `undefined` if it came at once, or has not begun. */
  get startMs(): number | undefined {
    return this.#startMs
  }

  /**
   * @param received All bytes from where the head begins
   * @returns `undefined` while it is incomplete
   * @throws {ProtocolError} as `readRequestHead` does
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

  /** What is to be told of a head that no handler sees. */
  refusal(status: number, reason: string, received: Buffer | undefined, remoteAddress: string | undefined): Refusal {
    const [method, target] = requestLineOf(received)
    // Nothing seen: the head before was the last that was read.
    const startMs = this.#seenBytes > 0 ? this.#startMs : undefined
    const durationMs = startMs === undefined ? 0 : performance.now() - startMs
    return { status, reason, protocol: 'HTTP/1.1', remoteAddress, method, target, bodyBytes: 0, durationMs }
  }
}
