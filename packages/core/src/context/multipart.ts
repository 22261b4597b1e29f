import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import type { Busboy as BusboyConstructor, BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import { checkOptions, integer, type OptionKinds } from '@fw/options'
import type { MultipartOptions, MultipartPart } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import { concatBytes, ownBytes } from '../engine/socket/kept-bytes.ts'
import { adaptResults, ignoreRejection } from './ignore-rejection.ts'
import { HttpError, isHttpError } from '../response/http-error.ts'

/** Parts are cheap to send and cost an object each. */
const MAX_PARTS = 100
const MULTIPART_KINDS: OptionKinds<MultipartOptions> = { maxParts: integer(0) }
const MULTIPART_TYPE = 'multipart/form-data'

/**
 * Reads a multipart body part by part, no faster than the parts are read. What is left of a part is skipped when the
 * next one is asked for.
 *
 * @param contentType The request's `content-type` field
 * @throws {HttpError} 415 for another type, 400 for a body that is no such thing, 413 for more than `maxParts`
 * @see RFC 7578
 */
export function readParts(
  body: () => ReadableStream<Uint8Array>,
  contentType: string | null,
  options: MultipartOptions = {},
): AsyncGenerator<MultipartPart, void, undefined> {
  return adaptResults(parts(body, contentType, options), ['next', 'return', 'throw'], ignoreRejection)
}

async function* parts(
  body: () => ReadableStream<Uint8Array>,
  contentType: string | null,
  options: MultipartOptions,
): AsyncGenerator<MultipartPart, void, undefined> {
  checkOptions('ctx.parts', options, MULTIPART_KINDS)
  const { maxParts = MAX_PARTS } = options
  const parser = parserOf(contentType, maxParts)
  const arrived: ReceivedPart[] = []
  let current: ReceivedPart | undefined
  /** The last part whose head has arrived. All parts before it are complete. */
  let latest: ReceivedPart | undefined
  let failure: Error | undefined
  let isOver = false
  let wake: (() => void) | undefined
  const fail = (error: unknown): void => {
    failure ??= fault(error)
    latest?.abort(failure)
    parser.destroy()
    wake?.()
  }
  parser.on('file', (name, stream, filename, _encoding, type) => {
    // The stream reports the error to a reader of the part. An unread part has no reader.
    stream.on('error', () => {})
    // The parser continues with its slice after `fail`. No more bytes would follow for this part.
    if (failure !== undefined) return
    // RFC 7578 §4.2. The type of the parser says string, but a part can lack a name.
    if (typeof name !== 'string') {
      fail(new HttpError(400, 'A part of the body has no name'))
      return
    }
    latest = new ReceivedPart(stream, name, filename, type)
    arrived.push(latest)
    wake?.()
  })
  for (const event of ['filesLimit', 'partsLimit']) {
    parser.on(event, () => fail(new HttpError(413, `The body has more than ${maxParts} parts`)))
  }
  parser.on('error', fail)
  parser.on('close', () => wake?.())
  parser.on('finish', () => {
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
    // A read of this part that is still in progress would wait for bytes that no longer come. The parser needs some ticks
    // to pass on the end of a part that has arrived.
    setImmediate(() => latest?.abort(new Error('ctx.parts: part must be read before the loop over the parts ends.')))
    // What the rest of the body holds is of no interest any more, nor whether it breaks off.
    reader.cancel().catch(() => {})
  }
}

/** Gives the parser what arrives, as fast as it takes it. */
async function feed(reader: ReadableStreamDefaultReader<Uint8Array>, parser: BusboyInstance): Promise<void> {
  let resume: (() => void) | undefined
  // One listener each, however often the parser asks for a pause.
  for (const event of ['drain', 'close']) parser.on(event, () => resume?.())
  for (;;) {
    const { value } = await reader.read()
    if (parser.destroyed) return
    if (value === undefined) break
    if (parser.write(value)) continue
    await new Promise<void>((resolve) => (resume = resolve))
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
    // The stream itself shows that the part is complete only after a reader has read all of it.
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

  /** The parser passes on views of its input. A handler that transferred one would take the next parts away. */
  async *#slices(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const view of this.#views()) yield ownBytes(view)
  }

  async *#views(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      // A stream that is destroyed cannot be skipped, and the parser would wait for it before the next part.
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

function parserOf(contentType: string | null, maxParts: number): BusboyInstance {
  const headers = { accept: MULTIPART_TYPE }
  if (contentType === null || !/^multipart\/form-data\s*(?:;|$)/i.test(contentType)) {
    throw new HttpError(415, `The body is not ${MULTIPART_TYPE}`, { headers })
  }
  // Loaded with the first body of this kind.
  Busboy ??= createRequire(import.meta.url)('@fastify/busboy') as typeof BusboyConstructor
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Every part is a stream; the limit of the body is that of the route.
      isPartAFile: () => true,
      // The parser passes over parts that say nothing of themselves, but not for nothing.
      limits: { files: maxParts, parts: maxParts, fileSize: Infinity },
    })
  } catch (error) {
    throw new HttpError(400, 'The content type of the body has no boundary', { cause: error })
  }
}

/** What broke: the reading of the body, which says so itself, or its form. */
function fault(error: unknown): Error {
  if (isHttpError(error) || error instanceof AbortedError) return error
  return new HttpError(400, 'The body is not valid multipart/form-data', { cause: error })
}
