import type { RequestHeaders } from '@fw/types'

/** The fields of a standard `Headers`, read when they are asked for, with the `host` that a URL tells. */
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
      // What can be no name is no field.
      return null
    }
  }

  /** One at most: a `Headers` has joined the values of a name. */
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
