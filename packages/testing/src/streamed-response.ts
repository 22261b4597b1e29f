import type { ClientResponse, TestField } from './client.ts'

/** The parts of a response that a protocol client provides once the header section has arrived. */
export interface ResponseParts {
  readonly status: number
  readonly rawHeaders: readonly TestField[]
  readonly informational: readonly number[]
  /** Yields the body and returns the trailers. Returning early cancels the request. */
  readonly body: AsyncGenerator<Uint8Array, readonly TestField[], void>
  readonly abort: () => void
}

/** The response of every protocol client. Implements the body readers of `ClientResponse`. */
export class StreamedResponse implements ClientResponse {
  readonly status: number
  readonly headers: Headers
  readonly rawHeaders: readonly TestField[]
  readonly informational: readonly number[]
  readonly trailers: Promise<readonly TestField[]>
  readonly #parts: ResponseParts
  readonly #trailers = Promise.withResolvers<readonly TestField[]>()
  #isBodyTaken = false

  constructor(parts: ResponseParts) {
    this.#parts = parts
    this.status = parts.status
    this.rawHeaders = parts.rawHeaders
    this.informational = parts.informational
    this.headers = new Headers(parts.rawHeaders.map(([name, value]): [string, string] => [name, value]))
    this.trailers = this.#trailers.promise
    // Ignore the rejection, because most tests do not read the trailers, and the body reports the same error.
    this.trailers.catch(() => {})
  }

  get body(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => this.#readBody() }
  }

  async bytes(): Promise<Uint8Array> {
    const slices: Uint8Array[] = []
    for await (const slice of this.body) slices.push(slice)
    return Buffer.concat(slices)
  }

  async text(): Promise<string> {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await this.bytes())
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown
  }

  abort(): void {
    this.#trailers.reject(new Error('The request was canceled'))
    this.#parts.abort()
  }

  async *#readBody(): AsyncGenerator<Uint8Array, void, void> {
    if (this.#isBodyTaken) throw new TypeError('The body has already been read')
    this.#isBodyTaken = true
    try {
      this.#trailers.resolve(yield* this.#parts.body)
    } catch (error) {
      this.#trailers.reject(error)
      throw error
    } finally {
      this.#trailers.reject(new Error('The body was not read to its end'))
    }
  }
}
