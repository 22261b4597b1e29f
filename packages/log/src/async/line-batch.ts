import { escapeLine } from '../escape.ts'
import { LineBuffer } from '../line-buffer.ts'

/**
 * Lines on their way into a queue. Those that are ready as text are gathered as text: encoding many at once costs a
 * fraction of encoding each, and so does looking once at the octets of all for what needs an escape.
 */
export class LineBatch {
  readonly #encoded = new LineBuffer()
  #lines = 0
  /** Lines not yet encoded, as they are if nothing in them needs an escape. */
  #text = ''
  /** What they were made of. */
  readonly #starts: string[] = []
  readonly #messages: string[] = []

  get lines(): number {
    return this.#lines
  }

  /** Octets; of text that is not yet encoded, characters. */
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
    this.#text += `${start}${message}\n`
    this.#starts.push(start)
    this.#messages.push(message)
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
    const before = encoded.length
    if (!encoded.addPlainLines(this.#text, this.#messages.length)) {
      encoded.rewind(before)
      this.#messages.forEach((message, at) => encoded.addText(`${this.#starts[at] ?? ''}${escapeLine(message)}\n`))
    }
    this.#forgetText()
  }

  #forgetText(): void {
    this.#text = ''
    this.#starts.length = 0
    this.#messages.length = 0
  }
}
