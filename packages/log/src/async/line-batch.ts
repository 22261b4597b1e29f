import { escapeLine } from '../text/escape.ts'
import { LineBuffer } from '../text/line-buffer.ts'

/**
 * Lines on their way into a queue. Those that are ready as text are gathered as text: encoding many at once costs a
 * fraction of encoding each, and so does looking once at the bytes of all for what needs an escape.
 */
// docs/decisions/0013
export class LineBatch {
  readonly #encoded = new LineBuffer()
  #lines = 0
  /** Lines not yet encoded, as they are if nothing in them needs an escape. */
  #text = ''
  /** Where in it the message of each begins, and where it ends. Numbers, as references from here cost each collection of garbage. */
  readonly #bounds: number[] = []

  get lines(): number {
    return this.#lines
  }

  /** Bytes; of text that is not yet encoded, characters. */
  get length(): number {
    return this.#encoded.length + this.#text.length
  }

  /** @param line With its line break */
  add(line: LineBuffer): void {
    if (this.#text !== '') this.#encode()
    this.#encoded.addAll(line)
    this.#lines++
  }

  /** Adds a line that is ready. @param start Comes before the message, and is safe in a line @param message Of any content */
  addReady(start: string, message: string): void {
    const begin = this.#text.length + start.length
    this.#text += `${start}${message}\n`
    this.#bounds.push(begin, begin + message.length)
    this.#lines++
  }

  /** All lines in UTF-8, each with its line break. Valid until something is added. */
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
