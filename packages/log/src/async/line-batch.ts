import { escapeLine } from '../text/escape.ts'
import { LineBuffer } from '../text/line-buffer.ts'

/**
 * Collects lines for a queue. Unformatted lines are collected in one string, because encoding and checking many lines together
 * is much faster.
 */
// docs/decisions/0013
export class LineBatch {
  readonly #encoded = new LineBuffer()
  #lines = 0
  /** Lines that are neither encoded nor escaped yet. */
  #text = ''
  /**
   * The start and the end of each message in `#text`. Stored as numbers, because object references would slow down each garbage
   * collection.
   */
  readonly #bounds: number[] = []

  get lines(): number {
    return this.#lines
  }

  /** The number of encoded bytes plus the number of characters that are not yet encoded. */
  get length(): number {
    return this.#encoded.length + this.#text.length
  }

  /** Adds an encoded line. @param line The line with its line break */
  add(line: LineBuffer): void {
    if (this.#text !== '') this.#encode()
    this.#encoded.addAll(line)
    this.#lines++
  }

  /** Adds a line of text. @param start The escaped text before the message @param message The message, not escaped */
  addReady(start: string, message: string): void {
    const begin = this.#text.length + start.length
    this.#text += `${start}${message}\n`
    this.#bounds.push(begin, begin + message.length)
    this.#lines++
  }

  /** Returns all lines in UTF-8, each with its line break. Valid until the next line is added. */
  encoded(): LineBuffer {
    if (this.#text !== '') this.#encode()
    return this.#encoded
  }

  clear(): void {
    this.#encoded.rewind(0)
    this.#forgetText()
    this.#lines = 0
  }

  #encode(): void {
    const encoded = this.#encoded
    const text = this.#text
    const bounds = this.#bounds
    const before = encoded.length
    if (!encoded.addPlainLines(text, bounds.length >> 1)) {
      encoded.rewind(before)
      let lineStart = 0
      for (let at = 0; at < bounds.length; at += 2) {
        const [begin, end] = [bounds[at] ?? 0, bounds[at + 1] ?? 0]
        encoded.addText(`${text.slice(lineStart, begin)}${escapeLine(text.slice(begin, end))}\n`)
        lineStart = end + 1
      }
    }
    this.#forgetText()
  }

  #forgetText(): void {
    this.#text = ''
    this.#bounds.length = 0
  }
}
