import { showType, withCode } from '@fw/options'
import type { BodyConsumer, BodyDecoder, RequestBody } from '@fw/types'
import { AbortedError, bodyAlreadyRead } from '../engine/errors.ts'
import { tooLarge } from './body-collector.ts'
import { type EncodedObserver, EncodedBytes } from './encoded-bytes.ts'
import { HttpError } from '../response/http-error.ts'
import { bufferLedger } from '../engine/budget/buffer-ledger.ts'
import { DecodingTurn } from '../engine/budget/decoding-turn.ts'
import { RETRY_AFTER_SECONDS } from '../engine/exchange/begin-request.ts'

/** Limits of a decoded body. */
export interface DecodedLimits {
  /** Maximum number of encoded bytes, and of decoded bytes. */
  readonly maxBytes: number
  /** Number of bytes buffered by the process at which no body is decoded; 0 for no limit. */
  readonly maxBufferedBytes: number
}

/**
 * Passes a request body through a decoder. Limits the encoded and the decoded bytes separately. Starts nothing before the
 * first read, and requests no piece while it is paused.
 *
 * Few encoded bytes can become many decoded ones. Therefore only a few bodies are decoded at the same time, and none while the
 * process has reached `maxBufferedBytes`. A body whose bytes have not arrived, or whose consumer is paused, delays no other.
 */
export class DecodedBody implements RequestBody, EncodedObserver {
  /** Unknown until the body has been decoded. */
  readonly length: undefined = undefined
  readonly #body: RequestBody
  readonly #limits: DecodedLimits
  readonly #decode: BodyDecoder
  readonly #turn = new DecodingTurn()
  #consumer: BodyConsumer | undefined = undefined
  #encoded: EncodedBytes | undefined = undefined
  #pieces: AsyncIterator<Uint8Array> | undefined = undefined
  /** Decoded bytes that the consumer has collected. */
  #collectedBytes = 0
  #decoderBytes = 0
  /** Whether the decoder waits for bytes that have not arrived. */
  #isStarved = false
  /** Whether a piece has been requested. */
  #isPulling = false
  #isPaused = false
  #isOver = false
  #wake: (() => void) | undefined = undefined

  constructor(body: RequestBody, limits: DecodedLimits, decode: BodyDecoder) {
    this.#body = body
    this.#limits = limits
    this.#decode = decode
  }

  consume(consumer: BodyConsumer): void {
    if (this.#consumer !== undefined) throw bodyAlreadyRead()
    this.#consumer = consumer
    if (this.#isOver) {
      consumer.error(tooLate())
      return
    }
    const encoded = new EncodedBytes(this.#body, this.#limits.maxBytes, this)
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

  onStarved(): void {
    this.#isStarved = true
    this.#turn.end()
  }

  onFed(): Promise<void> | undefined {
    this.#isStarved = false
    return this.#isPulling && !this.#isOver ? this.#continue() : undefined
  }

  /** Releases the decoder, unless the body has been read to its end. A read in progress rejects with an `AbortError`. */
  release(): void {
    this.#fail(this.#encoded?.failure ?? tooLate())
  }

  async #run(encoded: EncodedBytes, consumer: BodyConsumer): Promise<void> {
    const turn = this.#turn.take()
    if (turn !== undefined) await turn
    if (this.#isOver) return
    this.#checkRoom()
    const memory = { set: (bytes: number): void => this.#count(this.#collectedBytes, bytes) }
    const pieces = this.#decode(encoded, memory)[Symbol.asyncIterator]()
    this.#pieces = pieces
    let size = 0
    for (;;) {
      if (this.#isPaused) {
        this.#turn.end()
        await new Promise<void>((resolve) => (this.#wake = resolve))
      }
      if (this.#isOver) return
      // A decoder that waits for bytes has little left to yield.
      const next = this.#isStarved ? undefined : this.#turn.take()
      if (next !== undefined) await next
      if (this.#isOver) return
      this.#isPulling = true
      const { done, value } = await pieces.next()
      this.#isPulling = false
      if (this.#isOver) return
      if (done === true) break
      if (!(value instanceof Uint8Array)) throw notBytes(value)
      size += value.byteLength
      if (size > this.#limits.maxBytes) throw tooLarge(this.#limits.maxBytes)
      if (value.byteLength === 0) continue
      if (consumer.isCollecting === true) this.#count(this.#collectedBytes + value.byteLength, this.#decoderBytes)
      consumer.data(value)
    }
    // A decoder that ignores the error of its input must not make an incomplete body look complete.
    if (encoded.failure !== undefined) throw encoded.failure
    this.#end()
    // The decoder might not have read all bytes. The rest is discarded after the response.
    this.#body.pause()
    consumer.end(encoded.trailers)
  }

  /** Waits for the next turn. Ends the body if the process has no room for what its consumer collects. */
  async #continue(): Promise<void> {
    await this.#turn.take()
    if (this.#isOver || this.#consumer?.isCollecting !== true) return
    try {
      this.#checkRoom()
    } catch (error) {
      this.#encoded?.abort(error as Error)
    }
  }

  /** @throws {HttpError} 503 if the process has reached `maxBufferedBytes` */
  #checkRoom(): void {
    if (!bufferLedger.isFull(this.#limits.maxBufferedBytes)) return
    bufferLedger.onRefused()
    const headers = { 'retry-after': RETRY_AFTER_SECONDS }
    throw withCode('FW_OVERLOADED', new HttpError(503, 'Too many bytes are waiting for other clients', { headers }))
  }

  /** Counts the collected bytes, and those of the decoder, as buffered for the client. */
  #count(collectedBytes: number, decoderBytes: number): void {
    if (this.#isOver) return
    const difference = collectedBytes + decoderBytes - this.#collectedBytes - this.#decoderBytes
    this.#collectedBytes = collectedBytes
    this.#decoderBytes = decoderBytes
    if (difference !== 0) this.#body.hold?.(difference)
  }

  /** Ends the decoding. Its bytes now belong to the handler, and no longer count as held for the client. */
  #end(): void {
    this.#count(0, 0)
    this.#isOver = true
    this.#turn.end()
  }

  /** Releases the decoder. Ignores its errors: the read has failed already. */
  async #close(): Promise<void> {
    try {
      await this.#pieces?.return?.()
    } catch {}
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#end()
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

function notBytes(piece: unknown): TypeError {
  const got = showType(piece)
  const message = `ctx.decodeBody: each piece of the decoder must be a Uint8Array, got ${got}. Use Buffer.from(text).`
  return withCode('FW_INVALID_BODY', new TypeError(message))
}

function decoderThrew(thrown: unknown): Error {
  return withCode('FW_THROWN_VALUE', new Error('The decoder of the body threw', { cause: thrown }))
}
