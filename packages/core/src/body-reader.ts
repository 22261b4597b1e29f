import type { RequestBody, RequestHeaders } from '@fw/types'
import { HttpError } from './http-error.ts'
import { parseUrlencoded } from './urlencoded.ts'

const JSON_MEDIA_TYPE = /^(?:application\/json|text\/json|[^/]+\/[^/]+\+json)$/
const FORM_TYPE = 'application/x-www-form-urlencoded'
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads a request body, once, under a limit. What was read as a whole is kept and can be asked for again. */
export class BodyReader {
  readonly #body: RequestBody
  readonly #headers: RequestHeaders
  readonly #maxBytes: number
  #bytes: Promise<Uint8Array> | undefined = undefined

  constructor(body: RequestBody, headers: RequestHeaders, maxBytes: number) {
    this.#body = body
    this.#headers = headers
    this.#maxBytes = maxBytes
  }

  bytes(): Promise<Uint8Array> {
    return handled(this.#collect())
  }

  text(): Promise<string> {
    return handled(this.#read((text) => text))
  }

  /** Plain `JSON.parse`: a member named `__proto__` becomes an own property like any other. */
  json(): Promise<unknown> {
    const type = this.#mediaType()
    if (type !== undefined && !isJson(type)) {
      const error = new HttpError(415, 'The body is not JSON', { headers: { accept: 'application/json' } })
      return handled(Promise.reject(error))
    }
    return handled(this.#read(parseJson))
  }

  form(): Promise<URLSearchParams> {
    const type = this.#mediaType()
    if (type !== undefined && type !== FORM_TYPE) {
      const error = new HttpError(415, `The body is not ${FORM_TYPE}`, { headers: { accept: FORM_TYPE } })
      return handled(Promise.reject(error))
    }
    return handled(this.#read(parseUrlencoded))
  }

  /** The body as it arrives; nothing is read, and the client not told to go on, before the stream is. */
  stream(): ReadableStream<Uint8Array> {
    this.#checkLength()
    const body = this.#body
    const maxBytes = this.#maxBytes
    let isReading = false
    let isWanted = false
    let isOver = false
    let size = 0
    const read = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const fail = (error: Error): void => {
        if (isOver) return
        isOver = true
        controller.error(error)
      }
      body.consume({
        data(chunk) {
          if (isOver) return
          size += chunk.byteLength
          if (size > maxBytes) {
            body.pause()
            fail(tooLarge(maxBytes))
            return
          }
          isWanted = false
          controller.enqueue(chunk)
          // Unless the next piece was asked for right away, while this one was handed over.
          if (!isWanted) body.pause()
        },
        end() {
          if (isOver) return
          isOver = true
          controller.close()
        },
        error: fail,
      })
    }
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          isWanted = true
          if (isReading) {
            body.resume()
          } else {
            isReading = true
            read(controller)
          }
        },
        cancel() {
          isOver = true
          if (isReading) body.pause()
        },
      },
      { highWaterMark: 0 },
    )
  }

  #collect(): Promise<Uint8Array> {
    return (this.#bytes ??= new Promise((resolve, reject) => {
      this.#checkLength()
      const body = this.#body
      const maxBytes = this.#maxBytes
      const chunks: Uint8Array[] = []
      let size = 0
      body.consume({
        data(chunk) {
          if (size > maxBytes) return
          size += chunk.byteLength
          if (size <= maxBytes) {
            chunks.push(chunk)
            return
          }
          chunks.length = 0
          body.pause()
          reject(tooLarge(maxBytes))
        },
        end() {
          const [first] = chunks
          resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size))
        },
        error: reject,
      })
    }))
  }

  /** Reads the text and makes something of it, with no more promises than that takes. */
  #read<T>(make: (text: string) => T): Promise<T> {
    const coding = this.#headers.get('content-encoding')
    if (coding !== null && coding.trim().toLowerCase() !== 'identity') {
      const headers = { 'accept-encoding': 'identity' }
      return Promise.reject(new HttpError(415, 'The body has a content coding', { headers }))
    }
    return this.#collect().then((bytes) => make(decode(bytes)))
  }

  /** The media type without parameters, in lower case (RFC 9110 §8.3.1). */
  #mediaType(): string | undefined {
    const value = this.#headers.get('content-type')
    if (value === 'application/json') return value
    return value === null ? undefined : (value.split(';', 1)[0] ?? '').trim().toLowerCase()
  }

  #checkLength(): void {
    const { length } = this.#body
    if (length !== undefined && length > this.#maxBytes) throw tooLarge(this.#maxBytes)
  }
}

function isJson(type: string): boolean {
  return type === 'application/json' || JSON_MEDIA_TYPE.test(type)
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new HttpError(400, 'The body is not valid UTF-8', { cause: error })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HttpError(400, 'The body is not valid JSON', { cause: error })
  }
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `The body exceeds ${maxBytes} octets`)
}

/**
 * A handler may start reading now and await later. In between a client that goes away must not become an unhandled
 * rejection, which would end the process.
 */
function handled<T>(reading: Promise<T>): Promise<T> {
  reading.catch(() => {})
  return reading
}
