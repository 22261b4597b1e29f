import { withCode } from '@fw/options'
import type { BodyDecoder, Context, Exchange, RequestBody, RequestHeaders, RouteInfo } from '@fw/types'
import { BodyCollector, tooLarge } from './body-collector.ts'
import { makeBodyStream } from './body-stream.ts'
import { checkDecoder, DecodedBody } from './decoded-body.ts'
import {
  FORM_TYPE,
  isEncoded,
  JSON_ONLY,
  mediaType,
  requireJson,
  requireUtf8,
  unsupportedType,
} from './content-type.ts'
import { ignoreRejection } from './ignore-rejection.ts'
import { HttpError } from '../response/http-error.ts'
import { dropCodings } from './standard-request.ts'
import { ownBytes } from '../engine/socket/kept-bytes.ts'
import type { Limits } from '../options/limits.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Limits of a request body. */
export type BodyLimits = Pick<Limits, 'maxBodyBytes' | 'maxFormFields' | 'maxFileBytes' | 'maxBufferedBytes'>

/** Creates the reader for a request, with the server's or the route's limits. */
export function bodyReaderOf(
  { body, headers }: Exchange,
  host: { readonly limits: BodyLimits; readonly bodyTypes: readonly string[] },
  route: RouteInfo | undefined,
): BodyReader {
  const options = route?.options
  return new BodyReader(body, headers, host.limits, options?.limits, options?.bodyTypes ?? host.bodyTypes)
}

/** Reads a request body under limits. Keeps a body that was read as a whole, so that it can be read again. */
export class BodyReader {
  readonly #body: RequestBody
  readonly #headers: RequestHeaders
  readonly #maxBytes: number
  readonly #maxBufferedBytes: number
  readonly #maxFormFields: number
  /** Maximum bytes of one part of a multipart body; 0 for no limit. */
  readonly maxFileBytes: number
  readonly #types: readonly string[]
  #bytes: Uint8Array | Promise<Uint8Array> | undefined = undefined
  #isRead = false
  #decoded: DecodedBody | undefined = undefined

  /**
   * @param own The route's limits, which override `limits`
   * @param types The route's `bodyTypes`
   */
  constructor(
    body: RequestBody,
    headers: RequestHeaders,
    limits: BodyLimits,
    own?: Partial<BodyLimits>,
    types: readonly string[] = JSON_ONLY,
  ) {
    this.#body = body
    this.#headers = headers
    this.#maxBytes = own?.maxBodyBytes ?? limits.maxBodyBytes
    this.#maxBufferedBytes = limits.maxBufferedBytes
    this.#maxFormFields = own?.maxFormFields ?? limits.maxFormFields
    this.maxFileBytes = own?.maxFileBytes ?? limits.maxFileBytes
    this.#types = types
  }

  /** Whether the body passes through a decoder. */
  get isDecoded(): boolean {
    return this.#decoded !== undefined
  }

  /**
   * Makes the body pass through a decoder when it is first read.
   *
   * @param owner Releases the decoder at the end of the exchange. A read in progress then rejects with an `AbortError`
   * @param request The request that has been created for the body, if any
   * @throws {TypeError} if the body was already read
   */
  decode(decode: BodyDecoder, owner: Pick<Context, 'onFinish'>, request: Request | undefined): void {
    checkDecoder(decode, this.#isRead)
    const decoded = new DecodedBody(
      this.#body,
      { maxBytes: this.#maxBytes, maxBufferedBytes: this.#maxBufferedBytes },
      decode,
    )
    this.#decoded = decoded
    if (request !== undefined) dropCodings(request)
    owner.onFinish(() => decoded.release())
  }

  /** Returns the bytes in their own `ArrayBuffer`, which the caller can transfer. */
  bytes(): Promise<Uint8Array> {
    return promised(() => {
      const bytes = this.#collect()
      return (this.#bytes = bytes instanceof Promise ? bytes.then(ownBytes) : ownBytes(bytes))
    })
  }

  text(): Promise<string> {
    return promised(() => this.#read((text) => text))
  }

  /** Parses the body with `JSON.parse`, which makes `__proto__` an own property and never sets a prototype. */
  json(): Promise<unknown> {
    return promised(() => {
      this.requireJson()
      return this.#read(parseJson)
    })
  }

  form(): Promise<URLSearchParams> {
    return promised(() => {
      const type = mediaType(this.#contentType)
      if (type !== undefined && type !== FORM_TYPE)
        throw unsupportedType(`The content-type of the body must be ${FORM_TYPE}`, [FORM_TYPE])
      requireUtf8(this.#contentType)
      return this.#read((text) => parseForm(text, this.#maxFormFields))
    })
  }

  /**
   * Parses the body and returns the result of `make`. A form becomes a `URLSearchParams` if `types` names forms; any
   * other body is parsed as JSON. Returns a promise only while the body is still arriving.
   *
   * @throws {HttpError} if the body is invalid, has the wrong type or exceeds a limit; a returned promise rejects with
   * it
   */
  value<T>(make: (value: unknown) => T): T | Promise<Awaited<T>> {
    const type = mediaType(this.#contentType)
    if (type === FORM_TYPE && this.#types.includes(FORM_TYPE)) {
      requireUtf8(this.#contentType)
      return this.#read((text) => make(parseForm(text, this.#maxFormFields)))
    }
    this.requireJson(type)
    return this.#read((text) => make(parseJson(text)))
  }

  /**
   * Streams the body. The caller can transfer each piece, because it has its own `ArrayBuffer`. Does not read the body
   * or send 100 (Continue) before the stream is read.
   *
   * @throws {HttpError} 413 if the announced length exceeds the limit
   */
  stream(): ReadableStream<Uint8Array> {
    this.#checkLength()
    const maxBytes = this.#maxBytes
    /** `undefined` before the first read. */
    let body: RequestBody | undefined
    let isWanted = false
    let isOver = false
    let size = 0
    const read = (source: RequestBody, controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const fail = (error: Error): void => {
        if (isOver) return
        isOver = true
        controller.error(error)
      }
      source.consume({
        data(chunk) {
          if (isOver) return
          size += chunk.byteLength
          if (size > maxBytes) {
            source.pause()
            fail(tooLarge(maxBytes))
            return
          }
          isWanted = false
          controller.enqueue(ownBytes(chunk))
          // `enqueue` pulls the next piece immediately if a reader is waiting for it.
          if (!isWanted) source.pause()
        },
        end() {
          if (isOver) return
          isOver = true
          controller.close()
        },
        error: fail,
      })
    }
    return makeBodyStream({
      pull: (controller) => {
        isWanted = true
        if (body === undefined) read((body = this.#take()), controller)
        else body.resume()
      },
      cancel: () => {
        isOver = true
        if (body === undefined) return
        body.pause()
        this.#decoded?.release()
      },
    })
  }

  /**
   * Checks the type of a JSON body. Skips the check for a request without a body, which the JSON parser rejects with 400.
   *
   * @throws {HttpError} 415 if `types` does not contain the type, or the charset is not UTF-8
   */
  requireJson(type: string | undefined = mediaType(this.#contentType)): void {
    if (type === undefined && this.#body.length === 0) return
    requireJson(type, this.#types)
    if (type !== undefined) requireUtf8(this.#contentType)
  }

  #collect(): Uint8Array | Promise<Uint8Array> {
    if (this.#bytes !== undefined) return this.#bytes
    this.#checkLength()
    return (this.#bytes = new BodyCollector(this.#take(), this.#maxBytes).whole)
  }

  /** Returns the body for its first read. */
  #take(): RequestBody {
    this.#isRead = true
    return this.#decoded ?? this.#body
  }

  /** Decodes the body and returns the result of `make`, synchronously if the whole body has arrived. */
  #read<T>(make: (text: string) => T): T | Promise<Awaited<T>> {
    if (this.#decoded === undefined && isEncoded(this.#headers.get('content-encoding'))) {
      const headers = { 'accept-encoding': 'identity' }
      throw withCode(
        'FW_UNSUPPORTED_TYPE',
        new HttpError(415, 'The content-encoding of the body must be identity', { headers }),
      )
    }
    const bytes = this.#collect()
    if (!(bytes instanceof Promise)) return make(decodeUtf8(bytes))
    return bytes.then((all): T | Promise<Awaited<T>> => make(decodeUtf8(all))) as Promise<Awaited<T>>
  }

  get #contentType(): string | null {
    return this.#headers.get('content-type')
  }

  #checkLength(): void {
    const { length } = this.#body
    if (length !== undefined && length > this.#maxBytes) throw tooLarge(this.#maxBytes)
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw withCode('FW_MALFORMED_BODY', new HttpError(400, 'The body is not valid UTF-8', { cause: error }))
  }
}

/** Counts the fields before it parses them, because the cost of parsing grows with their number. */
function parseForm(text: string, maxFields: number): URLSearchParams {
  let fields = text === '' ? 0 : 1
  for (let end = text.indexOf('&'); end !== -1 && fields <= maxFields; end = text.indexOf('&', end + 1)) fields++
  if (fields > maxFields) {
    throw withCode('FW_BODY_TOO_LARGE', new HttpError(413, `The form has more than ${maxFields} fields`))
  }
  return parseUrlencoded(text)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw withCode('FW_MALFORMED_BODY', new HttpError(400, 'The body is not valid JSON', { cause: error }))
  }
}

/** Returns the result of `make` as a promise, which rejects if `make` throws. */
function promised<T>(make: () => T | Promise<T>): Promise<T> {
  try {
    const made = make()
    return made instanceof Promise ? ignoreRejection(made) : Promise.resolve(made)
  } catch (error) {
    return ignoreRejection(Promise.reject(error))
  }
}

const NOT_ASCII = /[^\0-\x7f]+/g

/** Parses `application/x-www-form-urlencoded` text: a query, or a form sent as a body. */
export function parseUrlencoded(text: string): URLSearchParams {
  // After a malformed percent-encoding, Node.js keeps only the low 8 bits of each character: it reads `\u0126` as `&`.
  const ascii = text.replace(NOT_ASCII, (characters) => encodeURIComponent(characters.toWellFormed()))
  // `URLSearchParams` strips one leading `?`. Here that `?` belongs to the first name.
  return new URLSearchParams(ascii.startsWith('?') ? `?${ascii}` : ascii)
}
