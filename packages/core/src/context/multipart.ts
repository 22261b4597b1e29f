import { Readable } from 'node:stream'
import type { Busboy as BusboyConstructor, BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import { checkOptions, integer, type OptionKinds, withCode } from '@fw/options'
import type { MultipartOptions, MultipartPart } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import { concatBytes, ownBytes } from '../engine/socket/kept-bytes.ts'
import { adaptResults, ignoreRejection } from './ignore-rejection.ts'
import { HttpError, isHttpError } from '../response/http-error.ts'
import { multipartSlices } from './multipart-slices.ts'

/** Default of `maxParts`. Each part costs the client a few bytes, but the server several objects. */
const MAX_PARTS = 100
const MULTIPART_KINDS: OptionKinds<MultipartOptions> = { maxParts: integer(0) }
const MULTIPART_TYPE = 'multipart/form-data'

/**
 * Reads a multipart body part by part, with backpressure. Skips the unread rest of a part when the caller requests the
 * next one.
 *
 * @param contentType The request's `content-type` field
 * @throws {HttpError} 415 for any other type, 400 for a malformed body, 413 for more than `maxParts`, or a part of
 * more than `maxFileBytes`
 * @see RFC 7578
 */
export function readParts(
  body: () => ReadableStream<Uint8Array>,
  contentType: string | null,
  maxFileBytes: number,
  options: MultipartOptions = {},
): AsyncGenerator<MultipartPart, void, undefined> {
  return adaptResults(parts(body, contentType, maxFileBytes, options), ['next', 'return', 'throw'], ignoreRejection)
}

async function* parts(
  body: () => ReadableStream<Uint8Array>,
  contentType: string | null,
  maxFileBytes: number,
  options: MultipartOptions,
): AsyncGenerator<MultipartPart, void, undefined> {
  checkOptions('ctx.parts', options, MULTIPART_KINDS)
  const { maxParts = MAX_PARTS } = options
  checkType(contentType)
  // Loaded with the first multipart body.
  Busboy ??= (await import('@fastify/busboy')).default.Busboy
  const parser = parserOf(Busboy, contentType, maxParts, maxFileBytes)
  const arrived: ReceivedPart[] = []
  let current: ReceivedPart | undefined
  /** The last part whose head has arrived. All parts before it are complete. */
  let latest: ReceivedPart | undefined
  let failure: Error | undefined
  /** Whether the parser has started a part that it has not reported yet. */
  let isUnnamed = false
  let isOver = false
  let wake: (() => void) | undefined
  const fail = (error: unknown): void => {
    failure ??= fault(error)
    latest?.abort(failure)
    parser.destroy()
    wake?.()
  }
  const checkNamed = (): void => {
    // RFC 7578 §4.2
    if (isUnnamed) fail(withCode('FW_MALFORMED_BODY', new HttpError(400, 'A part of the body has no name')))
  }
  onPartBegin(parser, (part) => {
    checkNamed()
    isUnnamed = true
    part.on('header', checkNamed)
  })
  parser.on('file', (name, stream, filename, _encoding, type) => {
    // Code that reads the part receives the error. This listener handles it for an unread part.
    stream.on('error', () => {})
    // The parser finishes its current slice after `fail`. No more bytes would follow for this part.
    if (failure !== undefined) return
    // The declared type is `string`, but a part can lack a name.
    isUnnamed = typeof name !== 'string'
    if (isUnnamed) return
    stream.on('limit', () =>
      fail(withCode('FW_BODY_TOO_LARGE', new HttpError(413, `A part of the body has more than ${maxFileBytes} bytes`))),
    )
    latest = new ReceivedPart(stream, name, filename, type)
    arrived.push(latest)
    wake?.()
  })
  for (const event of ['filesLimit', 'partsLimit']) {
    parser.on(event, () =>
      fail(withCode('FW_BODY_TOO_LARGE', new HttpError(413, `The body has more than ${maxParts} parts`))),
    )
  }
  parser.on('error', fail)
  parser.on('close', () => wake?.())
  parser.on('finish', () => {
    checkNamed()
    isOver = true
    wake?.()
  })
  const reader = body().getReader()
  feed(reader, parser).catch(fail)
  try {
    for (;;) {
      current?.skip()
      if (failure !== undefined) throw failure
      current = arrived.shift()
      if (current !== undefined) yield current
      else if (isOver) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    parser.destroy()
    // A pending read of this part would otherwise never settle. Delay the error, because the parser needs several
    // ticks to report the end of a part that has arrived.
    setImmediate(() =>
      latest?.abort(
        withCode(
          'FW_PART_NOT_READ',
          new Error('ctx.parts: part must be read before the loop over the parts ends. Read it in the loop.'),
        ),
      ),
    )
    // Ignore the rejection: no caller reads the rest of the body.
    reader.cancel().catch(() => {})
  }
}

/** Writes the body to the parser, with backpressure. */
async function feed(reader: ReadableStreamDefaultReader<Uint8Array>, parser: BusboyInstance): Promise<void> {
  let resume: (() => void) | undefined
  // Add one listener per event. A listener per pause would cause a warning about a leak.
  for (const event of ['drain', 'close']) parser.on(event, () => resume?.())
  for (;;) {
    const { value } = await reader.read()
    if (parser.destroyed) return
    if (value === undefined) break
    for (const slice of multipartSlices(value)) {
      if (parser.destroyed) return
      if (!parser.write(slice)) await new Promise<void>((resolve) => (resume = resolve))
    }
  }
  parser.end()
}

class ReceivedPart implements MultipartPart {
  readonly name: string
  readonly filename: string | undefined
  readonly contentType: string
  readonly #stream: BusboyFileStream
  #isComplete = false
  #failure: Error | undefined = undefined

  constructor(stream: BusboyFileStream, name: string, filename: string | undefined, contentType: string) {
    this.#stream = stream
    // The stream's own state does not show a complete part until all of it has been read.
    stream.push = (chunk: unknown) => {
      if (chunk === null) this.#isComplete = true
      return Readable.prototype.push.call(stream, chunk)
    }
    this.name = name
    this.filename = filename
    this.contentType = contentType
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    return adaptResults(this.#slices(), ['next', 'return', 'throw'], ignoreRejection)
  }

  bytes(): Promise<Uint8Array> {
    return ignoreRejection(this.#collect())
  }

  text(): Promise<string> {
    return ignoreRejection(this.#collect().then((bytes) => new TextDecoder().decode(bytes)))
  }

  skip(): void {
    if (!this.#stream.destroyed) this.#stream.resume()
  }

  /** Fails every read of the part with `error`, unless all bytes of the part have arrived. */
  abort(error: Error): void {
    if (this.#isComplete) return
    this.#failure ??= error
    this.#stream.destroy(error)
  }

  /**
   * Copies chunks, which are views of the parser's input. A handler that transfers a view would detach the bytes of
   * later parts.
   */
  async *#slices(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const view of this.#views()) yield ownBytes(view)
  }

  async *#views(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      // Do not destroy the stream on return, because the parser would wait forever for it to be read.
      for await (const chunk of this.#stream.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array
    } catch (error) {
      throw this.#failure ?? fault(error)
    }
  }

  async #collect(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.#views()) chunks.push(chunk)
    return concatBytes(chunks)
  }
}

let Busboy: typeof BusboyConstructor | undefined

function checkType(contentType: string | null): asserts contentType is string {
  if (contentType !== null && /^multipart\/form-data\s*(?:;|$)/i.test(contentType)) return
  const headers = { accept: MULTIPART_TYPE }
  throw withCode(
    'FW_UNSUPPORTED_TYPE',
    new HttpError(415, `The content-type of the body must be ${MULTIPART_TYPE}`, { headers }),
  )
}

function parserOf(
  Parser: typeof BusboyConstructor,
  contentType: string,
  maxParts: number,
  maxFileBytes: number,
): BusboyInstance {
  try {
    return new Parser({
      headers: { 'content-type': contentType },
      // Makes every part a stream. The route's limit applies to the whole body.
      isPartAFile: () => true,
      // `parts` also counts parts for which the parser emits no event.
      limits: { files: maxParts, parts: maxParts, fileSize: maxFileBytes || Infinity },
    })
  } catch (error) {
    throw withCode(
      'FW_MALFORMED_BODY',
      new HttpError(400, 'The content-type of the body must have a boundary', { cause: error }),
    )
  }
}

/** The private inner parser in busboy 3. */
interface PartParser {
  readonly _parser?: { readonly parser?: NodeJS.EventEmitter }
}

/**
 * Calls `onPart` when a part begins, before the parser reports the part's name.
 *
 * Uses the inner parser, because the outer one does not report a part without `form-data` or with an incomplete head.
 */
function onPartBegin(parser: BusboyInstance, onPart: (part: NodeJS.EventEmitter) => void): void {
  ;(parser as PartParser)._parser?.parser?.on('part', onPart)
}

/**
 * Returns an error from the body or its connection unchanged, and converts any other error to a malformed-body error.
 */
function fault(error: unknown): Error {
  if (isHttpError(error) || error instanceof AbortedError) return error
  return withCode(
    'FW_MALFORMED_BODY',
    new HttpError(400, 'The body is not valid multipart/form-data', { cause: error }),
  )
}
