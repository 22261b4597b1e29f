import type { FieldList, RequestHeaders } from '@fw/types'

/** Request fields that arrived as a list, as on HTTP/2 and HTTP/3. Pseudo-header fields are left out. */
export class FieldListHeaders implements RequestHeaders {
  readonly #fields: FieldList

  /** @param fields Names in lower case; pseudo-header fields, if any, are passed over */
  constructor(fields: FieldList) {
    this.#fields = fields
  }

  get(name: string): string | null {
    const values = this.getAll(name)
    if (values.length <= 1) return values[0] ?? null
    // RFC 9113 §8.2.3 and RFC 9114 §4.2.1: a cookie may have been sent in crumbs.
    return values.join(name.toLowerCase() === 'cookie' ? '; ' : ', ')
  }

  getAll(name: string): readonly string[] {
    const wanted = name.toLowerCase()
    const values: string[] = []
    for (const [field, value] of this) if (field === wanted) values.push(value)
    return values
  }

  has(name: string): boolean {
    return this.getAll(name).length > 0
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i] ?? ''
      if (name.charCodeAt(0) !== 0x3a) yield [name, fields[i + 1] ?? '']
    }
  }
}
