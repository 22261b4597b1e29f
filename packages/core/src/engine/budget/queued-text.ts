/** Bytes of a response, or text that is encoded later. */
export type Chunk = Uint8Array | QueuedText

/**
 * Minimum number of characters to encode in one call. A flow-control window that opens a few bytes at a time would
 * otherwise cause many calls.
 */
const MIN_PIECE_CHARS = 1024

/**
 * Encodes a string as UTF-8 piece by piece, while it is sent. Only the text, not its bytes, stays in memory, and
 * responses with the same text share it.
 */
export class QueuedText {
  /** Length of the whole text in UTF-8 bytes. */
  readonly byteLength: number
  readonly #text: string
  readonly #encoding: 'latin1' | 'utf8'
  /** Index of the next character to encode. */
  #at = 0

  /** @param byteLength Length of the text in UTF-8 bytes */
  constructor(text: string, byteLength: number) {
    this.#text = text
    this.byteLength = byteLength
    // Text with as many bytes as characters is ASCII, which Latin-1 encodes faster than UTF-8 does.
    this.#encoding = byteLength === text.length ? 'latin1' : 'utf8'
  }

  /** Whether the whole text has been encoded. */
  get isOver(): boolean {
    return this.#at >= this.#text.length
  }

  /** Encodes about the next `maxChars` characters, but at least 1,024 if that many remain. */
  encode(maxChars: number): Buffer {
    const text = this.#text
    let end = Math.min(this.#at + Math.max(maxChars, MIN_PIECE_CHARS), text.length)
    // Never split a surrogate pair, whose halves are one character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
    const piece = Buffer.from(text.slice(this.#at, end), this.#encoding)
    this.#at = end
    return piece
  }
}
