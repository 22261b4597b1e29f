import type { RequestHeaders } from '@fw/types'

/** Reads request fields from a standard `Headers` on access, with the `host` from a URL. */
export class StandardHeaders implements RequestHeaders {
  readonly #headers: Headers
  readonly #host: string

  constructor(headers: Headers, host: string) {
    this.#headers = headers
    this.#host = host
  }

  get(name: string): string | null {
    try {
      const value = this.#headers.get(name)
      return value === null && isHostField(name) ? this.#host : value
    } catch {
      // `Headers` throws for an invalid name, which no field can have.
      return null
    }
  }

  /** Returns at most one value, because `Headers` joins the values for a name. */
  getAll(name: string): readonly string[] {
    const value = this.get(name)
    return value === null ? [] : [value]
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    yield ['host', this.#headers.get('host') ?? this.#host]
    for (const field of this.#headers) if (field[0] !== 'host') yield field
  }
}

function isHostField(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host'
}
