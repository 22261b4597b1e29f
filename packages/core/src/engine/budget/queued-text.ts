/** Bytes of a response, or a text that stands for them. */
export type Chunk = Uint8Array | QueuedText

/** Characters encoded together at the least: to encode by a few, for a window that opens by a few, costs more. */
const MIN_PIECE_CHARS = 1024

/**
 * A text that waits to be sent, encoded as UTF-8 piece by piece. Its bytes are never in memory besides it, and a text that
 * many responses send is there once.
 */
export class QueuedText {
  /** Bytes of the whole text in UTF-8. */
  readonly byteLength: number
  readonly #text: string
  readonly #encoding: 'latin1' | 'utf8'
  /** Characters that were encoded. */
  #at = 0

  /** @param byteLength Bytes of the text in UTF-8 */
  constructor(text: string, byteLength: number) {
    this.#text = text
    this.byteLength = byteLength
    // As many bytes as characters: all of it is ASCII.
    this.#encoding = byteLength === text.length ? 'latin1' : 'utf8'
  }

  /** Whether all of the text was encoded. */
  get isOver(): boolean {
    return this.#at >= this.#text.length
  }

  /** Encodes the next characters, about `maxChars` of them. */
  encode(maxChars: number): Buffer {
    const text = this.#text
    let end = Math.min(this.#at + Math.max(maxChars, MIN_PIECE_CHARS), text.length)
    // Both halves of a surrogate pair belong to one character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
    const piece = Buffer.from(text.slice(this.#at, end), this.#encoding)
    this.#at = end
    return piece
  }
}
