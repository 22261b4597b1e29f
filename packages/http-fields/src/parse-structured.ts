import {
  type BareItem,
  DisplayText,
  type InnerList,
  type Item,
  type Member,
  type Parameters,
  Token,
} from './structured-value.ts'

/** Matches a key (RFC 9651 §4.2.3.3). */
const KEY = /[a-z*][a-z0-9_.*-]*/y
const NUMBER = /-?(\d+)(?:\.(\d+))?/y
const STRING = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y
const TOKEN = /[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/y
const BYTES = /:([A-Za-z0-9+/]*={0,2}):/y
const BOOLEAN = /\?([01])/y
const DATE = /@(-?\d{1,15})(?![\d.])/y
const DISPLAY = /%"((?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*)"/y

/** Maximum digits of an integer, and of a decimal before and after the point (RFC 9651 §3.3.1, §3.3.2). */
const MAX_INTEGER_DIGITS = 15
const MAX_WHOLE_DIGITS = 12
const MAX_FRACTION_DIGITS = 3

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a structured field whose type is an item.
 *
 * @returns `undefined` if the value is malformed. The whole field must then be ignored
 * @see RFC 9651 §4.2
 *
 * @example
 * parseItem(':YWJj:')?.value   // the bytes of "abc"
 */
export function parseItem(field: string): Item | undefined {
  return parse(field, (reader) => reader.item())
}

/** Parses a structured field whose type is a list. Returns `undefined` if the value is malformed. */
export function parseList(field: string): readonly Member[] | undefined {
  return parse(field, (reader) => reader.list())
}

/**
 * Parses a structured field whose type is a dictionary. If a key is repeated, its last value counts. Returns `undefined` if the
 * value is malformed.
 */
export function parseDictionary(field: string): ReadonlyMap<string, Member> | undefined {
  return parse(field, (reader) => reader.dictionary())
}

/** Signals a malformed value. Always caught in this file. */
class Malformed extends Error {}

function parse<T>(field: string, read: (reader: Reader) => T): T | undefined {
  const reader = new Reader(field)
  try {
    reader.skip(' ')
    const result = read(reader)
    reader.skip(' ')
    return reader.isAtEnd ? result : undefined
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Reads a field value from left to right. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  /** Skips characters that `set` contains. */
  skip(set: string): void {
    while (!this.isAtEnd && set.includes(this.#text.charAt(this.#at))) this.#at++
  }

  list(): readonly Member[] {
    const members: Member[] = []
    this.#separated(() => members.push(this.#member()))
    return members
  }

  dictionary(): ReadonlyMap<string, Member> {
    const members = new Map<string, Member>()
    this.#separated(() => {
      const key = this.#match(KEY)[0]
      const member = this.#take('=') ? this.#member() : { value: true, parameters: this.#parameters() }
      members.set(key, member)
    })
    return members
  }

  item(): Item {
    return { value: this.#bareItem(), parameters: this.#parameters() }
  }

  #separated(read: () => void): void {
    while (!this.isAtEnd) {
      read()
      this.skip(' \t')
      if (this.isAtEnd) return
      if (!this.#take(',')) throw new Malformed()
      this.skip(' \t')
      // A trailing comma is malformed, because no member follows it.
      if (this.isAtEnd) throw new Malformed()
    }
  }

  #member(): Member {
    return this.#take('(') ? this.#innerList() : this.item()
  }

  #innerList(): InnerList {
    const items: Item[] = []
    for (;;) {
      this.skip(' ')
      if (this.#take(')')) return { items, parameters: this.#parameters() }
      items.push(this.item())
      const next = this.#text.charAt(this.#at)
      if (next !== ' ' && next !== ')') throw new Malformed()
    }
  }

  #parameters(): Parameters {
    const parameters = new Map<string, BareItem>()
    while (this.#take(';')) {
      this.skip(' ')
      const key = this.#match(KEY)[0]
      parameters.set(key, this.#take('=') ? this.#bareItem() : true)
    }
    return parameters
  }

  #bareItem(): BareItem {
    switch (this.#text.charAt(this.#at)) {
      case '"':
        return (this.#match(STRING)[1] ?? '').replace(/\\(.)/g, '$1')
      case ':':
        return bytesOf(this.#match(BYTES)[1] ?? '')
      case '?':
        return this.#match(BOOLEAN)[1] === '1'
      case '@':
        return dateOf(Number(this.#match(DATE)[1]))
      case '%':
        return new DisplayText(displayed(this.#match(DISPLAY)[1] ?? ''))
    }
    const token = this.#find(TOKEN)
    return token === undefined ? this.#number() : new Token(token[0])
  }

  #number(): number {
    const [text, whole = '', fraction] = this.#match(NUMBER)
    const isValid =
      fraction === undefined
        ? whole.length <= MAX_INTEGER_DIGITS && this.#text.charAt(this.#at) !== '.'
        : whole.length <= MAX_WHOLE_DIGITS && fraction.length <= MAX_FRACTION_DIGITS
    if (!isValid) throw new Malformed()
    return Number(text)
  }

  #take(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false
    this.#at++
    return true
  }

  #match(pattern: RegExp): RegExpExecArray {
    const found = this.#find(pattern)
    if (found === undefined) throw new Malformed()
    return found
  }

  /** Matches a sticky pattern at the current position and moves past it. */
  #find(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return undefined
    this.#at = pattern.lastIndex
    return found
  }
}

/**
 * Returns a date. RFC 9651 §3.3.7 requires the years 1 to 9999; `Date` supports about 270,000 more years, but not
 * every 15-digit number of seconds.
 */
function dateOf(seconds: number): Date {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) throw new Malformed()
  return date
}

/** Decodes the characters between the quotes of display text. */
function displayed(encoded: string): string {
  const bytes = Buffer.from(
    encoded.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Malformed()
  }
}

/** Decodes base64 with or without padding. @throws {Malformed} if one character remains, which has only 6 bits */
function bytesOf(base64: string): Buffer {
  if (base64.replace(/=+$/, '').length % 4 === 1) throw new Malformed()
  return Buffer.from(base64, 'base64')
}
