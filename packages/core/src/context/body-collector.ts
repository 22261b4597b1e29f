import { withCode } from '@fw/options'
import type { BodyConsumer, RequestBody } from '@fw/types'
import { HttpError } from '../response/http-error.ts'

/**
 * Number of pieces that are joined into one buffer. A one-byte piece needs a hundred times as much memory as the byte
 * itself.
 */
const MAX_PIECES = 256
/** Total bytes above which `MAX_PIECES` pieces are not joined, because the copy would cost more than it saves. */
const LARGE_PIECES_BYTES: number = MAX_PIECES * 1024

/** Collects a whole body of at most `maxBytes`. If the body is larger, releases the received bytes and pauses it. */
export class BodyCollector implements BodyConsumer {
  readonly isCollecting = true
  readonly #body: RequestBody
  readonly #maxBytes: number
  #chunks: Uint8Array[] = []
  /** The number of chunks since the last `#joinPieces`, and the bytes before them. */
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

  /** The whole body, or a promise if it is still arriving. Read this only once. */
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

/** Creates the error for a body of more than `maxBytes`. */
export function tooLarge(maxBytes: number): HttpError {
  return withCode('FW_BODY_TOO_LARGE', new HttpError(413, `The body exceeds ${maxBytes} bytes`))
}
