import type { RequestHeaders } from '@fw/types'

/**
 * The fields of a request, read from the text of its head whenever one is asked for, so that a handler which reads
 * none pays for none.
 */
export class Http1Headers implements RequestHeaders {
  readonly #block: string

  /** @param block Valid field lines, each ending in CRLF */
  constructor(block: string) {
    this.#block = block
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase()
    let joined: string | null = null
    for (const value of this.#values(wanted)) {
      if (joined === null) joined = value
      // RFC 9110 §5.3; RFC 6265 §5.4 sends one cookie line, HTTP/2 may have split it.
      else joined += (wanted === 'cookie' ? '; ' : ', ') + value
    }
    return joined
  }

  getAll(name: string): readonly string[] {
    return [...this.#values(name.toLowerCase())]
  }

  has(name: string): boolean {
    return !this.#values(name.toLowerCase()).next().done
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const block = this.#block
    for (let at = 0; at < block.length;) {
      const colon = block.indexOf(':', at)
      const end = block.indexOf('\r\n', colon)
      yield [block.slice(at, colon).toLowerCase(), trimOws(block.slice(colon + 1, end))]
      at = end + 2
    }
  }

  *#values(name: string): Generator<string, void> {
    const block = this.#block
    for (let at = 0; at < block.length;) {
      const colon = block.indexOf(':', at)
      const end = block.indexOf('\r\n', colon)
      if (colon - at === name.length && block.slice(at, colon).toLowerCase() === name) {
        yield trimOws(block.slice(colon + 1, end))
      }
      at = end + 2
    }
  }
}

/** Takes off the optional white space around a field value (RFC 9110 §5.6.3); other white space belongs to it. */
export function trimOws(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && isOws(value.charCodeAt(start))) start++
  while (end > start && isOws(value.charCodeAt(end - 1))) end--
  return value.slice(start, end)
}

function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09
}
