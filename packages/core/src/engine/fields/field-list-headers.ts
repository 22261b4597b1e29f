import type { FieldList, RequestHeaders } from '@fw/types'

/** Provides the header fields of an HTTP/2 or HTTP/3 request, without pseudo-header fields. */
export class FieldListHeaders implements RequestHeaders {
  readonly #fields: FieldList

  /** @param fields Names, in lower case, and values. Pseudo-header fields are ignored */
  constructor(fields: FieldList) {
    this.#fields = fields
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase()
    const fields = this.#fields
    let found: string | null = null
    // RFC 9113 §8.2.3 and RFC 9114 §4.2.1: clients can split a cookie into several fields.
    const separator = wanted === 'cookie' ? '; ' : ', '
    for (let i = this.#indexOf(wanted, 0); i !== -1; i = this.#indexOf(wanted, i + 2)) {
      const value = fields[i + 1] ?? ''
      found = found === null ? value : found + separator + value
    }
    return found
  }

  getAll(name: string): readonly string[] {
    const wanted = name.toLowerCase()
    const values: string[] = []
    for (let i = this.#indexOf(wanted, 0); i !== -1; i = this.#indexOf(wanted, i + 2)) {
      values.push(this.#fields[i + 1] ?? '')
    }
    return values
  }

  has(name: string): boolean {
    return this.#indexOf(name.toLowerCase(), 0) !== -1
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i] ?? ''
      if (name.charCodeAt(0) !== 0x3a) yield [name, fields[i + 1] ?? '']
    }
  }

  /** Returns the index of the first field with this name at or after `start`, or -1. Ignores pseudo-header fields. */
  #indexOf(wanted: string, start: number): number {
    const fields = this.#fields
    if (wanted.charCodeAt(0) === 0x3a) return -1
    for (let i = start; i < fields.length; i += 2) if (fields[i] === wanted) return i
    return -1
  }
}
