import type { RequestHeaders } from '@fw/types'

/**
 * Provides the header fields of a request. Parses the field lines on first access, so that handlers that read no fields
 * do not pay for parsing.
 */
export class Http1Headers implements RequestHeaders {
  /** Field lines as received, decoded as Latin-1. Each ends in CRLF. */
  readonly block: string
  /** Three indexes for each line: its start, its colon and its end. Computed on first access. */
  #lines: readonly number[] | undefined = undefined
  /** Bits (`kindOf`) of all names in the block. Most absent names can be ruled out by these bits, without a search. */
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
      // RFC 9110 §5.3. A proxy can forward a cookie that was split into several fields on HTTP/2 (RFC 9113 §8.2.3).
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

  /** Returns the lines to search for a name; empty if its kind does not occur. */
  #linesFor(name: string): readonly number[] {
    const lines = this.#allLines
    return (this.#kinds & kindOf(name, 0, name.length)) === 0 ? NO_LINES : lines
  }

  /** Reports whether the line at index `i` has the lower-case name `wanted`. */
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

/** Returns one of 32 bits, derived from the length and the last letter of a name. Ignores case. */
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
  // Copy the array, because one that grew has spare capacity.
  return lines.slice()
}

/** Reports whether the lower-case `name` occurs, in any case, at index `at` of a block of valid field lines. */
export function isName(block: string, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const code = block.charCodeAt(at + i)
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code
    if (lower !== name.charCodeAt(i)) return false
  }
  return true
}

/**
 * Returns the value between the colon and the end of a field line, without surrounding whitespace (RFC 9110 §5.6.3).
 */
export function valueBetween(block: string, colon: number, end: number): string {
  let first = colon + 1
  let last = end
  while (first < last && isOws(block.charCodeAt(first))) first++
  while (last > first && isOws(block.charCodeAt(last - 1))) last--
  return block.slice(first, last)
}

/** Replaces the value of `Host` in a block of valid field lines. */
export function replaceHost(block: string, host: string): string {
  for (let at = 0; at < block.length; at = block.indexOf('\n', at) + 1) {
    const colon = block.indexOf(':', at)
    if (colon - at !== 4 || !isName(block, at, 'host')) continue
    return `${block.slice(0, colon)}: ${host}${block.slice(block.indexOf('\r', colon))}`
  }
  return block
}

/** Removes spaces and tabs around a field value. */
export function trimOws(value: string): string {
  return valueBetween(value, -1, value.length)
}

function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09
}
