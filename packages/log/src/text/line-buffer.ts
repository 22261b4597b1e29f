/** The initial capacity, which is enough for most lines and for a batch of lines. */
const FIRST_BYTES = 16 * 1024

/** The maximum capacity that is kept for the next line. */
const KEPT_BYTES = 64 * 1024

/** The maximum number of bytes that a loop copies faster than a runtime call. */
const SHORT_COPY = 256

/**
 * The maximum number of characters that a loop encodes faster than the runtime, which first joins concatenated text.
 */
const SHORT_TEXT = 32

/**
 * The maximum length of text that is encoded together with other text. Text of this length fits into the initial capacity, even
 * at three bytes per character.
 */
export const LONG_TEXT = 4096

/** The size of an integer in bytes. Loops read two integers at a time, so the buffer has room for two after the text. */
const WORD = 4
const STEP = 2 * WORD

/** A space, a 1 and the highest bit in each byte of a word. */
const SPACES = 0x20202020
const ONES = 0x01010101
const HIGH_BITS = 0x80808080 | 0

/** The number of digits of 2 ** 31. */
const MAX_DIGITS = 10

/**
 * The digits of 0 to 99 as two bytes. This table halves the number of divisions, which are the main cost of formatting
 * a number.
 */
const PAIRS: Uint16Array = Uint16Array.from(
  { length: 100 },
  (_, value) => 0x3030 + (((value % 10) << 8) | ((value / 10) | 0)),
)

/** Encoder for long text. For concatenated text, it is faster than the `Buffer` methods. */
const encoder = new TextEncoder()

/** A growing buffer of UTF-8 text. Its memory is reused for the next line. */
// docs/decisions/0013
export class LineBuffer {
  #bytes: Buffer
  #view: DataView
  /** The bytes from `#restStart`. Text after the beginning of a line usually starts at the same position. */
  #rest: Uint8Array
  #restStart = 0
  #length = 0

  /**
   * @param text The initial content, which determines the capacity
   */
  constructor(text?: string) {
    this.#bytes = Buffer.allocUnsafeSlow(text === undefined ? FIRST_BYTES : text.length * 3 + STEP)
    this.#view = new DataView(this.#bytes.buffer)
    this.#rest = this.#bytes
    if (text !== undefined) this.addText(text)
  }

  /** The buffer, whose first `length` bytes are the text. Valid until more text is added. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  get length(): number {
    return this.#length
  }

  /** Removes all bytes after the first `length`. */
  rewind(length: number): void {
    this.#length = length
    if (this.#bytes.length > KEPT_BYTES && length < FIRST_BYTES) this.#resize(FIRST_BYTES)
  }

  /** Adds any text. Unpaired surrogates become U+FFFD. */
  addText(text: string): void {
    // A code unit needs at most three bytes. For long text, counting the bytes costs less than unused memory.
    this.#reserve(text.length <= FIRST_BYTES ? text.length * 3 : Buffer.byteLength(text))
    this.#length += this.#bytes.write(text, this.#length, 'utf8')
  }

  /**
   * Adds short text of printable ASCII characters, which do not need escapes.
   *
   * @returns False for any other text; the caller must then rewind
   */
  addPlain(text: string): boolean {
    const { length } = text
    if (length > SHORT_TEXT) return length <= LONG_TEXT && this.addPlainLines(text, 0)
    this.#reserve(length)
    const bytes = this.#bytes
    const start = this.#length
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code < 0x20 || code > 0x7e) return false
      bytes[start + at] = code
    }
    this.#length = start + length
    return true
  }

  /**
   * Like `addPlain`, but for text of any length that contains `lineBreaks` line breaks. Checks the encoded bytes, which are
   * contiguous even if the text is concatenated.
   */
  addPlainLines(text: string, lineBreaks: number): boolean {
    const { length } = text
    this.#reserve(length * 3)
    const start = this.#length
    if (start !== this.#restStart) {
      this.#rest = this.#bytes.subarray(start)
      this.#restStart = start
    }
    if (encoder.encodeInto(text, this.#rest).written !== length) return false
    const end = start + length
    const view = this.#view
    // The last step also reads bytes after the text. Overwrite them, so that they have no effect.
    view.setInt32(end, SPACES, true)
    view.setInt32(end + WORD, SPACES, true)
    let found = 0
    for (let at = start; at < end; at += STEP) {
      const [word, next] = [view.getInt32(at, true), view.getInt32(at + WORD, true)]
      if ((suspicionOf(word) | suspicionOf(next)) === 0) continue
      for (let byte = at; byte < at + STEP; byte++) {
        const code = view.getUint8(byte)
        if (code === 10) found++
        else if (code < 0x20 || code > 0x7e) return false
      }
      if (found > lineBreaks) return false
    }
    if (found !== lineBreaks) return false
    this.#length = end
    return true
  }

  /** Adds a number as `String` formats it. */
  addNumber(value: number): void {
    if ((value | 0) === value && value >= 0) this.#addInteger(value)
    else this.addPlain(String(value))
  }

  /** Adds the text in another buffer. */
  addAll(source: LineBuffer): void {
    const length = source.#length
    this.#reserve(length)
    if (length > SHORT_COPY) this.#bytes.set(source.#bytes.subarray(0, length), this.#length)
    else {
      const [from, to, start] = [source.#view, this.#view, this.#length]
      for (let at = 0; at < length; at += STEP) {
        to.setInt32(start + at, from.getInt32(at, true), true)
        to.setInt32(start + at + WORD, from.getInt32(at + WORD, true), true)
      }
    }
    this.#length += length
  }

  addLineBreak(): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = 10
  }

  /** @param value A non-negative integer below 2 ** 31 */
  #addInteger(value: number): void {
    this.#reserve(MAX_DIGITS)
    const [bytes, view] = [this.#bytes, this.#view]
    const end = this.#length + digitsOf(value)
    let at = end
    let rest = value
    while (rest >= 100) {
      const hundredth = (rest / 100) | 0
      at -= 2
      view.setUint16(at, PAIRS[rest - hundredth * 100] as number, true)
      rest = hundredth
    }
    if (rest >= 10) view.setUint16(at - 2, PAIRS[rest] as number, true)
    else bytes[at - 1] = 0x30 + rest
    this.#length = end
  }

  #reserve(more: number): void {
    const needed = this.#length + more + STEP
    if (needed > this.#bytes.length) this.#resize(Math.max(needed, this.#bytes.length * 2))
  }

  #resize(capacity: number): void {
    const previous = this.#bytes
    this.#bytes = Buffer.allocUnsafeSlow(capacity)
    this.#view = new DataView(this.#bytes.buffer)
    this.#rest = this.#bytes
    this.#restStart = 0
    previous.copy(this.#bytes, 0, 0, this.#length)
  }
}

/** Returns the number of decimal digits. @param value A non-negative integer below 2 ** 31 */
function digitsOf(value: number): number {
  if (value < 1000) return value < 10 ? 1 : value < 100 ? 2 : 3
  if (value < 1_000_000) return value < 10_000 ? 4 : value < 100_000 ? 5 : 6
  return value < 10_000_000 ? 7 : value < 100_000_000 ? 8 : value < 1_000_000_000 ? 9 : MAX_DIGITS
}

/**
 * Returns a value other than 0 if a byte is above 0x7f, below 0x20 or above 0x7e. One of the three terms then has its
 * highest bit set.
 */
function suspicionOf(word: number): number {
  return (word | (word - SPACES) | (word + ONES)) & HIGH_BITS
}
