import { ConnectionError, ErrorCode } from '../errors.ts'
import { DEFAULT_FRAME_BYTES } from './frame-types.ts'

/** Lower bound for the limit on CONTINUATION frames per field block. A flood consists of many more (CVE-2024-27316). */
const MIN_CONTINUATIONS = 8

/**
 * Collects a field block that is split into several frames.
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

  /** @param maxBytes Maximum size of the block, in bytes */
  constructor(streamId: number, endsStream: boolean, maxBytes: number) {
    this.streamId = streamId
    this.endsStream = endsStream
    this.#maxBytes = maxBytes
    // Allow twice the frames that a block of `maxBytes` needs.
    this.#maxFragments = 1 + Math.max(MIN_CONTINUATIONS, Math.ceil((2 * maxBytes) / DEFAULT_FRAME_BYTES))
  }

  /**
   * Adds the next fragment of the block.
   *
   * @param fragment Payload of the frame; copied
   * @throws {ConnectionError} ENHANCE_YOUR_CALM if the block has too many bytes or frames
   */
  add(fragment: Buffer): void {
    this.#bytes += fragment.length
    if (this.#fragments.length >= this.#maxFragments || this.#bytes > this.#maxBytes) {
      throw new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'A field block with too many bytes or frames')
    }
    this.#fragments.push(Buffer.from(fragment))
  }

  /** Returns the whole block. */
  join(): Buffer {
    return Buffer.concat(this.#fragments)
  }
}
