import { ProtocolError } from '../engine/errors.ts'
import type { Limits } from '../options/limits.ts'
import { BACKSLASH, CR, DQUOTE, EQUALS, isControl, isTokenByte, SEMICOLON } from './bytes.ts'

// States. Each names the part of the extensions to which the next byte belongs.
const NAME_START = 0
const NAME = 1
const VALUE_START = 2
const TOKEN_VALUE = 3
const QUOTED_VALUE = 4
const QUOTED_PAIR = 5
const AFTER_QUOTED_VALUE = 6

/**
 * Skips chunk extensions in input that can be split anywhere. Accepts any number of `;name`, `;name=token` and
 * `;name="text"`. Rejects the whitespace that senders must not generate.
 *
 * @see RFC 9112 §7.1.1 (chunk-ext), RFC 9110 §5.6.4 (quoted-string)
 */
export class ChunkExtensionReader {
  readonly #maxBytes: number
  readonly #maxTotalBytes: number
  #state = NAME_START
  /** Extension bytes of the current chunk. `#totalBytes` counts all chunks. */
  #bytes = 0
  #totalBytes = 0

  constructor(limits: Pick<Limits, 'maxChunkExtensionBytes' | 'maxChunkExtensionsTotalBytes'>) {
    this.#maxBytes = limits.maxChunkExtensionBytes
    this.#maxTotalBytes = limits.maxChunkExtensionsTotalBytes
  }

  /** Starts the line of another chunk. */
  nextChunk(): void {
    this.#bytes = 0
  }

  /**
   * Counts leading zeros of a chunk size as extension bytes.
   *
   * @throws {ProtocolError} 400 if the current chunk exceeds its limit, 413 if all chunks together do
   */
  addPadding(bytes: number): void {
    this.#count(bytes)
  }

  /** Starts the extensions of a chunk after the first semicolon, which the caller has read. */
  begin(): void {
    this.#state = NAME_START
    this.#count(1)
  }

  /**
   * Skips extensions up to the CR that ends them.
   *
   * @param from Index of the first unread byte
   * @returns The index of that CR, or `input.length` if it has not arrived yet
   * @throws {ProtocolError} 400 if the extensions are malformed or too long for one chunk, 413 if the extensions of all
   * chunks together are too long
   */
  skip(input: Uint8Array, from: number): number {
    // Reading one byte more than allowed is enough to detect that the limit is exceeded.
    const allowed = Math.min(this.#maxBytes - this.#bytes, this.#maxTotalBytes - this.#totalBytes)
    const end = Math.min(input.length, from + allowed + 1)
    let state = this.#state
    let at = from
    let byte: number | undefined
    for (; at < end && (byte = input[at]) !== undefined && byte !== CR; at++) {
      state = next(state, byte)
      if (state < 0) throw malformed()
    }
    this.#state = state
    this.#count(at - from)
    if (byte === CR && state !== NAME && state !== TOKEN_VALUE && state !== AFTER_QUOTED_VALUE) throw malformed()
    return at
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#totalBytes += bytes
    if (this.#bytes > this.#maxBytes) throw new ProtocolError(400, 'Chunk extension too long')
    if (this.#totalBytes > this.#maxTotalBytes) throw new ProtocolError(413, 'Too many chunk extensions')
  }
}

/** Returns the state after a byte other than CR; -1 if the byte is not allowed. */
function next(state: number, byte: number): number {
  switch (state) {
    case NAME_START:
      return isTokenByte(byte) ? NAME : -1
    case NAME:
      if (isTokenByte(byte)) return NAME
      if (byte === EQUALS) return VALUE_START
      return byte === SEMICOLON ? NAME_START : -1
    case VALUE_START:
      if (byte === DQUOTE) return QUOTED_VALUE
      return isTokenByte(byte) ? TOKEN_VALUE : -1
    case TOKEN_VALUE:
      if (isTokenByte(byte)) return TOKEN_VALUE
      return byte === SEMICOLON ? NAME_START : -1
    case QUOTED_VALUE:
      if (byte === DQUOTE) return AFTER_QUOTED_VALUE
      if (byte === BACKSLASH) return QUOTED_PAIR
      return isControl(byte) ? -1 : QUOTED_VALUE
    case QUOTED_PAIR:
      return isControl(byte) ? -1 : QUOTED_VALUE
    default:
      return byte === SEMICOLON ? NAME_START : -1
  }
}

function malformed(): ProtocolError {
  return new ProtocolError(400, 'Malformed chunk extension')
}
