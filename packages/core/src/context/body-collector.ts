import type { BodyConsumer, RequestBody } from '@fw/types'
import { HttpError } from '../answer/http-error.ts'

/** Takes a body as a whole, up to a number of octets; what is too much is let go of at once. */
export class BodyCollector implements BodyConsumer {
  readonly #body: RequestBody
  readonly #maxBytes: number
  #chunks: Uint8Array[] = []
  #size = 0
  #bytes: Uint8Array | undefined = undefined
  #error: Error | undefined = undefined
  #waiting: PromiseWithResolvers<Uint8Array> | undefined = undefined

  constructor(body: RequestBody, maxBytes: number) {
    this.#body = body
    this.#maxBytes = maxBytes
    body.consume(this)
  }

  /** All of the body: as it is if it has arrived, else promised. Asked for once. */
  get whole(): Uint8Array | Promise<Uint8Array> {
    if (this.#bytes !== undefined) return this.#bytes
    if (this.#error !== undefined) return Promise.reject(this.#error)
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  data(chunk: Uint8Array): void {
    if (this.#error !== undefined) return
    this.#size += chunk.byteLength
    if (this.#size <= this.#maxBytes) {
      this.#chunks.push(chunk)
      return
    }
    this.#body.pause()
    this.error(tooLarge(this.#maxBytes))
  }

  end(): void {
    if (this.#error !== undefined) return
    const [first] = this.#chunks
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#size)
    this.#bytes = bytes
    this.#waiting?.resolve(bytes)
  }

  error(error: Error): void {
    this.#chunks = []
    this.#error = error
    this.#waiting?.reject(error)
  }
}

/** The error of a body with more than `maxBytes` octets. */
export function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `The body exceeds ${maxBytes} octets`)
}
