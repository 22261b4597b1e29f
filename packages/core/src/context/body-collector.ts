import type { BodyConsumer, RequestBody } from '@fw/types'
import { HttpError } from '../response/http-error.ts'

/** A body may arrive in pieces of a byte, which would take a hundred times as much memory. */
const MAX_PIECES = 256
/** Bytes of so many pieces from which on they are kept as they are. */
const LARGE_PIECES_BYTES: number = MAX_PIECES * 1024

/** Takes a body as a whole, up to a number of bytes; what is too much is let go of at once. */
export class BodyCollector implements BodyConsumer {
  readonly isCollecting = true
  readonly #body: RequestBody
  readonly #maxBytes: number
  #chunks: Uint8Array[] = []
  /** How many of the last chunks are as they came, and with how many bytes before them. */
  #pieces = 0
  #sizeBefore = 0
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
      if (++this.#pieces === MAX_PIECES) this.#joinPieces()
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

  #joinPieces(): void {
    if (this.#size - this.#sizeBefore < LARGE_PIECES_BYTES) {
      this.#chunks.push(Buffer.concat(this.#chunks.splice(-MAX_PIECES)))
    }
    this.#pieces = 0
    this.#sizeBefore = this.#size
  }
}

/** The error of a body with more than `maxBytes` bytes. */
export function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `The body exceeds ${maxBytes} bytes`)
}
