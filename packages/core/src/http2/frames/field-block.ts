import { ConnectionError, ErrorCode } from '../errors.ts'
import { DEFAULT_FRAME_BYTES } from './frame-types.ts'

/** Frames that one block may come in besides its HEADERS, at least; a flood is many more (CVE-2024-27316). */
const MIN_CONTINUATIONS = 8

/**
 * A field block that did not come in one frame.
 *
 * @see RFC 9113 §4.3
 */
export class FieldBlock {
  readonly streamId: number
  readonly endsStream: boolean
  readonly #maxBytes: number
  readonly #maxFragments: number
  readonly #fragments: Buffer[] = []
  #bytes = 0

  /** @param maxBytes Bytes of the block at most */
  constructor(streamId: number, endsStream: boolean, maxBytes: number) {
    this.streamId = streamId
    this.endsStream = endsStream
    this.#maxBytes = maxBytes
    // Twice as many as it takes.
    this.#maxFragments = 1 + Math.max(MIN_CONTINUATIONS, Math.ceil((2 * maxBytes) / DEFAULT_FRAME_BYTES))
  }

  /**
   * @param fragment Is copied
   * @throws {ConnectionError} ENHANCE_YOUR_CALM if the block gets too long, or comes in too many frames
   */
  add(fragment: Buffer): void {
    this.#bytes += fragment.length
    if (this.#fragments.length >= this.#maxFragments || this.#bytes > this.#maxBytes) {
      throw new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'A field section that is far too long')
    }
    this.#fragments.push(Buffer.from(fragment))
  }

  /** The whole block. */
  join(): Buffer {
    return Buffer.concat(this.#fragments)
  }
}
