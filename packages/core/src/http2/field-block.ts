import { ConnectionError, ErrorCode } from './errors.ts'

/** CONTINUATION frames of one block: enough for four times what a head may take, and no flood (CVE-2024-27316). */
const MAX_CONTINUATIONS = 8

/**
 * A field block that did not come in one frame.
 *
 * @see RFC 9113 §4.3
 */
export class FieldBlock {
  readonly streamId: number
  readonly endsStream: boolean
  readonly #maxBytes: number
  readonly #fragments: Buffer[] = []
  #bytes = 0

  /** @param maxBytes Octets of the block at most */
  constructor(streamId: number, endsStream: boolean, maxBytes: number) {
    this.streamId = streamId
    this.endsStream = endsStream
    this.#maxBytes = maxBytes
  }

  /**
   * @param fragment Is copied
   * @throws {ConnectionError} ENHANCE_YOUR_CALM if the block gets too long, or comes in too many frames
   */
  add(fragment: Buffer): void {
    this.#bytes += fragment.length
    if (this.#fragments.length > MAX_CONTINUATIONS || this.#bytes > this.#maxBytes) {
      throw new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'A field section that is far too long')
    }
    this.#fragments.push(Buffer.from(fragment))
  }

  /** The whole block. */
  join(): Buffer {
    return Buffer.concat(this.#fragments)
  }
}
