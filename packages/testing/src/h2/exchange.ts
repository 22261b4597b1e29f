import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { type ByteSource, StreamSource } from '../byte-source.ts'
import type { ClientRequest, ClientResponse, TestField } from '../client.ts'
import { drained } from '../drained.ts'
import { bodySlices, expectsContinue, requestMethod, wholeBody } from '../request-body.ts'
import { IncompleteResponse, MalformedResponse } from '../response-error.ts'
import { checkFields, checkNoConnectionFields, checkResponseHead, isBodyless } from '../response-rules.ts'
import { StreamedResponse } from '../streamed-response.ts'

type RawFields = readonly string[]

/** The client's HTTP/2 session. */
export interface Connection {
  readonly session: ClientHttp2Session
  readonly scheme: 'http' | 'https'
  readonly authority: string
  /** Reports whether the server ended the stream with END_STREAM. */
  hasEnded(streamId: number): boolean
}

/** Sends a request on a new stream and reads the header section of its response. */
export async function exchange(connection: Connection, request: ClientRequest): Promise<ClientResponse> {
  request.signal?.throwIfAborted()
  const method = requestMethod(request)
  const hasBody = request.body !== undefined || request.trailers !== undefined
  // Only the signal makes node:http2 send RST_STREAM immediately. `close()` would first end an incomplete body with
  // END_STREAM.
  const cancel = new AbortController()
  const stream = connection.session.request(requestFields(request, method, connection), {
    endStream: !hasBody,
    waitForTrailers: request.trailers !== undefined,
    signal: request.signal === undefined ? cancel.signal : AbortSignal.any([cancel.signal, request.signal]),
  })
  // The promises of the header section and the body report errors. An error between them must not be unhandled.
  stream.on('error', () => {})
  const source = new StreamSource(stream)
  // `stream.id` is undefined before the stream opens and after it closes.
  let streamId = stream.id
  stream.once('ready', () => (streamId = stream.id))

  const informational: number[] = []
  stream.on('headers', (_headers, _flags, raw: RawFields) => informational.push(splitFields(raw).status))
  let trailers: readonly TestField[] = []
  stream.on('trailers', (_trailers, _flags, raw: RawFields) => (trailers = splitFields(raw).fields))
  if (hasBody) sendBody(stream, request)

  const { status, fields } = await responseHead(stream, request.signal)
  checkResponseHead(status, fields)
  checkNoConnectionFields(fields)
  const abort = (): void => cancel.abort()
  const body = readBody(
    stream,
    source,
    () => streamId !== undefined && connection.hasEnded(streamId),
    () => trailers,
    abort,
  )
  const allowsBody = !isBodyless(method, status)
  if (!allowsBody) await expectNothing(body)
  return new StreamedResponse({ status, rawHeaders: fields, informational, body: allowsBody ? body : nothing(), abort })
}

function requestFields(request: ClientRequest, method: string, { scheme, authority }: Connection): string[] {
  const given = request.headers ?? []
  const host = given.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? authority
  const regular = given.filter(([name]) => name.toLowerCase() !== 'host').flat()
  const whole = request.body === undefined ? undefined : wholeBody(request.body)
  const hasLength = given.some(([name]) => name.toLowerCase() === 'content-length')
  const length = whole === undefined || hasLength ? [] : ['content-length', String(whole.length)]
  return [':method', method, ':scheme', scheme, ':authority', host, ':path', request.path, ...regular, ...length]
}

/** Sends the body with backpressure from the stream. If the body throws, resets the stream. */
function sendBody(stream: ClientHttp2Stream, request: ClientRequest): void {
  const { promise: permission, resolve: permit } = Promise.withResolvers<void>()
  if (expectsContinue(request)) stream.once('continue', permit)
  else permit()
  stream.once('wantTrailers', () => stream.sendTrailers(Object.fromEntries(request.trailers ?? [])))

  const send = async (): Promise<void> => {
    await permission
    for await (const slice of bodySlices(request.body)) {
      if (stream.destroyed || stream.closed) return
      if (!stream.write(slice)) await drained(stream)
    }
    stream.end()
  }
  send().catch((error: Error) => stream.destroy(error))
}

async function responseHead(
  stream: ClientHttp2Stream,
  signal: AbortSignal | undefined,
): Promise<{ status: number; fields: TestField[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<RawFields>()
  stream.once('response', (_headers, _flags, raw: RawFields) => resolve(raw))
  stream.once('error', (error) => reject(signal?.aborted === true ? signal.reason : error))
  stream.once('close', () =>
    reject(new IncompleteResponse(`The stream ended without a response (code ${stream.rstCode})`)),
  )
  return splitFields(await promise)
}

async function* readBody(
  stream: ClientHttp2Stream,
  source: ByteSource,
  hasEnded: () => boolean,
  trailers: () => readonly TestField[],
  abort: () => void,
): AsyncGenerator<Uint8Array, readonly TestField[], void> {
  let isComplete = false
  try {
    for (let slice = await source.read(); slice !== undefined; slice = await source.read()) yield slice
    if (!hasEnded()) throw new IncompleteResponse(`The stream was reset (code ${stream.rstCode})`)
    checkFields(trailers())
    isComplete = true
    return trailers()
  } finally {
    if (!isComplete) abort()
  }
}

/** Reads a body that must be empty. @throws {MalformedResponse} if it has content */
async function expectNothing(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const slice of body) {
    if (slice.length > 0)
      throw new MalformedResponse(`${slice.length} bytes of content in a response that must not have any`)
  }
}

// oxlint-disable-next-line require-yield -- an empty body yields no slices
async function* nothing(): AsyncGenerator<Uint8Array, readonly TestField[], void> {
  return []
}

/** Splits a flat list of names and values into the status and the regular fields. */
function splitFields(raw: RawFields): { status: number; fields: TestField[] } {
  const all = Array.from({ length: raw.length / 2 }, (_, at): TestField => [raw[at * 2] ?? '', raw[at * 2 + 1] ?? ''])
  const status = Number(all.find(([name]) => name === ':status')?.[1])
  return { status, fields: all.filter(([name]) => !name.startsWith(':')) }
}
