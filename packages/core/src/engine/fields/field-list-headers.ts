import type { FieldList, RequestHeaders } from '@fw/types'

/** Request fields that arrived as a list, as on HTTP/2 and HTTP/3. Pseudo-header fields are left out. */
export class FieldListHeaders implements RequestHeaders {
  readonly #fields: FieldList

  /** @param fields Names in lower case; pseudo-header fields, if any, are passed over */
  constructor(fields: FieldList) {
    this.#fields = fields
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase()
    const fields = this.#fields
    let found: string | null = null
    // RFC 9113 §8.2.3 and RFC 9114 §4.2.1: a cookie may have been sent in crumbs.
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

  /** Index of a field of that name at or after `start`; pseudo-header fields are not found. */
  #indexOf(wanted: string, start: number): number {
    const fields = this.#fields
    if (wanted.charCodeAt(0) === 0x3a) return -1
    for (let i = start; i < fields.length; i += 2) if (fields[i] === wanted) return i
    return -1
  }
}
