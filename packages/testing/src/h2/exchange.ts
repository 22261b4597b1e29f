import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2'
import type { ClientRequest, ClientResponse, TestField } from '../client.ts'
import { drained } from '../drained.ts'
import { bodySlices, expectsContinue, requestMethod, wholeBody } from '../request-body.ts'
import { IncompleteResponse, MalformedResponse } from '../response-error.ts'
import { checkFields, checkNoConnectionFields, checkResponseHead, isWithoutContent } from '../response-rules.ts'
import { StreamedResponse } from '../streamed-response.ts'

type RawFields = readonly string[]

/** Sends a request on a new stream and reads the head of its answer. */
export async function exchange(
  session: ClientHttp2Session,
  authority: string,
  request: ClientRequest,
): Promise<ClientResponse> {
  request.signal?.throwIfAborted()
  const method = requestMethod(request)
  const hasBody = request.body !== undefined || (request.trailers ?? []).length > 0
  const scheme = session.encrypted === true ? 'https' : 'http'
  const stream = session.request(requestFields(request, method, scheme, authority), {
    endStream: !hasBody,
    waitForTrailers: request.trailers !== undefined,
  })
  const abort = (): void => stream.close(constants.NGHTTP2_CANCEL)
  request.signal?.addEventListener('abort', abort, { once: true })
  stream.once('close', () => request.signal?.removeEventListener('abort', abort))
  // Awaited through `once` and the iteration; errors between the two must not be unhandled.
  stream.on('error', () => {})

  const informational: number[] = []
  stream.on('headers', (_headers, _flags, raw: RawFields) => informational.push(splitFields(raw).status))
  let trailers: readonly TestField[] = []
  stream.on('trailers', (_trailers, _flags, raw: RawFields) => (trailers = splitFields(raw).fields))
  if (hasBody) sendBody(stream, request)

  const { status, fields } = await responseHead(stream, request.signal)
  checkResponseHead(status, fields)
  checkNoConnectionFields(fields)
  const body = readBody(stream, () => trailers)
  const hasContent = !isWithoutContent(method, status)
  if (!hasContent) await expectNothing(body)
  return new StreamedResponse({ status, rawHeaders: fields, informational, body: hasContent ? body : nothing(), abort })
}

function requestFields(request: ClientRequest, method: string, scheme: string, authority: string): string[] {
  const given = request.headers ?? []
  const host = given.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? authority
  const regular = given.filter(([name]) => name.toLowerCase() !== 'host').flat()
  const whole = request.body === undefined ? undefined : wholeBody(request.body)
  const hasLength = given.some(([name]) => name.toLowerCase() === 'content-length')
  const length = whole === undefined || hasLength ? [] : ['content-length', String(whole.length)]
  return [':method', method, ':scheme', scheme, ':authority', host, ':path', request.path, ...regular, ...length]
}

/** Sends the body as fast as the stream takes it. A body that throws resets the stream. */
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
  stream.once('error', reject)
  stream.once('close', () =>
    reject(signal?.reason ?? new IncompleteResponse(`The stream ended without an answer (code ${stream.rstCode})`)),
  )
  return splitFields(await promise)
}

async function* readBody(
  stream: ClientHttp2Stream,
  trailers: () => readonly TestField[],
): AsyncGenerator<Uint8Array, readonly TestField[], void> {
  try {
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
    if (stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR) {
      throw new IncompleteResponse(`The stream was reset (code ${stream.rstCode})`)
    }
    checkFields(trailers())
    return trailers()
  } finally {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL)
  }
}

/** Reads a body that must be empty. @throws {MalformedResponse} if it is not */
async function expectNothing(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const slice of body) {
    if (slice.length > 0) throw new MalformedResponse(`${slice.length} octets of content where there can be none`)
  }
}

// oxlint-disable-next-line require-yield -- a body without a slice
async function* nothing(): AsyncGenerator<Uint8Array, readonly TestField[], void> {
  return []
}

/** Takes the list of the wire apart: name, value, name, value, … with `:status` among them. */
function splitFields(raw: RawFields): { status: number; fields: TestField[] } {
  const all = Array.from({ length: raw.length / 2 }, (_, at): TestField => [raw[at * 2] ?? '', raw[at * 2 + 1] ?? ''])
  const status = Number(all.find(([name]) => name === ':status')?.[1])
  return { status, fields: all.filter(([name]) => !name.startsWith(':')) }
}
