import { showType, withCode } from '@fw/options'
import type { BodyConsumer, BodyDecoder, RequestBody } from '@fw/types'
import { AbortedError, bodyAlreadyRead } from '../engine/errors.ts'
import { tooLarge } from './body-collector.ts'
import { EncodedBytes } from './encoded-bytes.ts'

/**
 * Passes a request body through a decoder. Limits the encoded and the decoded bytes separately. Starts nothing before the
 * first read, and requests no piece while it is paused.
 */
export class DecodedBody implements RequestBody {
  /** Unknown until the body has been decoded. */
  readonly length: undefined = undefined
  readonly #body: RequestBody
  readonly #maxBytes: number
  readonly #decode: BodyDecoder
  #consumer: BodyConsumer | undefined = undefined
  #encoded: EncodedBytes | undefined = undefined
  #pieces: AsyncIterator<Uint8Array> | undefined = undefined
  #isPaused = false
  #isOver = false
  #wake: (() => void) | undefined = undefined

  constructor(body: RequestBody, maxBytes: number, decode: BodyDecoder) {
    this.#body = body
    this.#maxBytes = maxBytes
    this.#decode = decode
  }

  consume(consumer: BodyConsumer): void {
    if (this.#consumer !== undefined) throw bodyAlreadyRead()
    this.#consumer = consumer
    if (this.#isOver) {
      consumer.error(tooLate())
      return
    }
    const encoded = new EncodedBytes(this.#body, this.#maxBytes)
    this.#encoded = encoded
    this.#run(encoded, consumer).catch((error: unknown) => this.#fail(encoded.failure ?? error))
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#wake?.()
  }

  /** Releases the decoder, unless the body has been read to its end. A read in progress rejects with an `AbortError`. */
  release(): void {
    this.#fail(this.#encoded?.failure ?? tooLate())
  }

  async #run(encoded: EncodedBytes, consumer: BodyConsumer): Promise<void> {
    const pieces = this.#decode(encoded)[Symbol.asyncIterator]()
    this.#pieces = pieces
    let size = 0
    for (;;) {
      if (this.#isPaused) await new Promise<void>((resolve) => (this.#wake = resolve))
      if (this.#isOver) return
      const { done, value } = await pieces.next()
      if (this.#isOver) return
      if (done === true) break
      size += value.byteLength
      if (size > this.#maxBytes) throw tooLarge(this.#maxBytes)
      if (value.byteLength === 0) continue
      if (consumer.isCollecting === true) this.#body.hold?.(value.byteLength)
      consumer.data(value)
    }
    // A decoder that ignores the error of its input must not make an incomplete body look complete.
    if (encoded.failure !== undefined) throw encoded.failure
    this.#isOver = true
    // The decoder might not have read all bytes. The rest is discarded after the response.
    this.#body.pause()
    consumer.end(encoded.trailers)
  }

  /** Releases the decoder. Ignores its errors: the read has failed already. */
  async #close(): Promise<void> {
    try {
      await this.#pieces?.return?.()
    } catch {}
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#body.pause()
    const failure = error instanceof Error ? error : decoderThrew(error)
    // Ends a decoder that waits for bytes. `return()` alone would wait for them too.
    this.#encoded?.abort(failure)
    void this.#close()
    this.#wake?.()
    this.#consumer?.error(failure)
  }
}

/**
 * Checks a call of `ctx.decodeBody`.
 *
 * @throws {TypeError} if `decode` is not a function, or the body was already read
 */
export function checkDecoder(decode: unknown, isRead: boolean): void {
  if (typeof decode !== 'function') {
    throw withCode(
      'FW_INVALID_HANDLER',
      new TypeError(
        `ctx.decodeBody: decode must be a function, got ${showType(decode)}. Pass async function* (encoded) { … }.`,
      ),
    )
  }
  if (isRead) {
    throw withCode(
      'FW_BODY_ALREADY_READ',
      new TypeError('ctx.decodeBody: the body was already read. Call decodeBody() before anything reads the body.'),
    )
  }
}

function tooLate(): AbortedError {
  return new AbortedError('The response was complete before the request was read')
}

function decoderThrew(thrown: unknown): Error {
  return withCode('FW_THROWN_VALUE', new Error('The decoder of the body threw', { cause: thrown }))
}
