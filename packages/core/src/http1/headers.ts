import type { RequestHeaders } from '@fw/types'

/**
 * The fields of a request, read from the text of its head whenever one is asked for, so that a handler which reads
 * none pays for none.
 */
export class Http1Headers implements RequestHeaders {
  /** Field lines as received (latin1), each ending in CRLF. */
  readonly block: string
  /** For each line where it begins, its colon and its end, found when a field is first asked for. */
  #lines: readonly number[] | undefined = undefined
  /** A bit for each kind of name (`kindOf`) that is there: most fields that are asked for are not. */
  #kinds = 0

  /** @param block Valid field lines, each ending in CRLF */
  constructor(block: string) {
    this.block = block
  }

  get(name: string): string | null {
    const lines = this.#linesFor(name)
    if (lines.length === 0) return null
    const wanted = name.toLowerCase()
    let joined: string | null = null
    for (let i = 0; i < lines.length; i += 3) {
      if (!this.#isAt(lines, i, wanted)) continue
      const value = this.#value(lines, i)
      if (joined === null) joined = value
      // RFC 9110 §5.3; RFC 6265 §5.4 sends one cookie line, HTTP/2 may have split it.
      else joined += (wanted === 'cookie' ? '; ' : ', ') + value
    }
    return joined
  }

  getAll(name: string): readonly string[] {
    const lines = this.#linesFor(name)
    if (lines.length === 0) return NO_VALUES
    const wanted = name.toLowerCase()
    const values: string[] = []
    for (let i = 0; i < lines.length; i += 3) {
      if (this.#isAt(lines, i, wanted)) values.push(this.#value(lines, i))
    }
    return values
  }

  has(name: string): boolean {
    const lines = this.#linesFor(name)
    if (lines.length === 0) return false
    const wanted = name.toLowerCase()
    for (let i = 0; i < lines.length; i += 3) if (this.#isAt(lines, i, wanted)) return true
    return false
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const lines = this.#allLines
    for (let i = 0; i < lines.length; i += 3) {
      yield [this.block.slice(lines[i], lines[i + 1]).toLowerCase(), this.#value(lines, i)]
    }
  }

  get #allLines(): readonly number[] {
    if (this.#lines === undefined) {
      this.#lines = findLines(this.block)
      for (let i = 0; i < this.#lines.length; i += 3) {
        this.#kinds |= kindOf(this.block, this.#lines[i] ?? 0, this.#lines[i + 1] ?? 0)
      }
    }
    return this.#lines
  }

  /** The lines among which a name has to be looked for. */
  #linesFor(name: string): readonly number[] {
    const lines = this.#allLines
    return (this.#kinds & kindOf(name, 0, name.length)) === 0 ? NO_LINES : lines
  }

  /** Whether the line at index `i` has the name `wanted`, which is in lower case. */
  #isAt(lines: readonly number[], i: number, wanted: string): boolean {
    const start = lines[i] ?? 0
    return (lines[i + 1] ?? 0) - start === wanted.length && isName(this.block, start, wanted)
  }

  #value(lines: readonly number[], i: number): string {
    return valueBetween(this.block, lines[i + 1] ?? 0, lines[i + 2] ?? 0)
  }
}

const NO_LINES: readonly number[] = []
const NO_VALUES: readonly string[] = []

/** One bit of 32 by the length of a name and its last letter, in either case. */
function kindOf(text: string, start: number, end: number): number {
  return 1 << ((end - start) * 7 + (text.charCodeAt(end - 1) | 0x20))
}

function findLines(block: string): readonly number[] {
  const lines: number[] = []
  for (let at = 0; at < block.length;) {
    const colon = block.indexOf(':', at)
    const end = block.indexOf('\r', colon)
    lines.push(at, colon, end)
    at = end + 2
  }
  // An array that grew has room for many more.
  return lines.slice()
}

/** Whether `name` stands at `at` in a block of valid field lines; `name` is in lower case, the block's case is ignored. */
export function isName(block: string, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const code = block.charCodeAt(at + i)
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code
    if (lower !== name.charCodeAt(i)) return false
  }
  return true
}

/** The value between the colon and the end of a field line, without the white space around it (RFC 9110 §5.6.3). */
export function valueBetween(block: string, colon: number, end: number): string {
  let first = colon + 1
  let last = end
  while (first < last && isOws(block.charCodeAt(first))) first++
  while (last > first && isOws(block.charCodeAt(last - 1))) last--
  return block.slice(first, last)
}

/** Returns a block of valid field lines, one of which is `Host`, with another host in it. */
export function replaceHost(block: string, host: string): string {
  for (let at = 0; at < block.length; at = block.indexOf('\n', at) + 1) {
    const colon = block.indexOf(':', at)
    if (colon - at !== 4 || !isName(block, at, 'host')) continue
    return `${block.slice(0, colon)}: ${host}${block.slice(block.indexOf('\r', colon))}`
  }
  return block
}

/** Takes off the optional white space around a field value; other white space belongs to it. */
export function trimOws(value: string): string {
  return valueBetween(value, -1, value.length)
}

function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09
}
