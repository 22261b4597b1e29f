import type { ClientRequest, ClientResponse, TestField } from '../client.ts'
import { bodySlices, expectsContinue, requestMethod, wholeBody } from '../request-body.ts'
import { IncompleteResponse, MalformedResponse } from '../response-error.ts'
import { checkFields, checkNoConnectionFields, checkResponseHead, fieldValue, isBodyless } from '../response-rules.ts'
import { StreamedResponse } from '../streamed-response.ts'
import type { H3Connection } from './connection.ts'
import { FrameSource } from './frame-source.ts'
import { decodeFields, encodeFields } from './qpack.ts'
import type { RawStream } from './raw-stream.ts'
import { h3Frame, H3Frame } from './wire.ts'

const REQUEST_CANCELLED = 0x10c

/** Sends a request on a new stream and reads the header section of its response. */
export async function exchange(connection: H3Connection, request: ClientRequest): Promise<ClientResponse> {
  const { signal } = request
  signal?.throwIfAborted()
  const method = requestMethod(request)
  const stream = await connection.openStream()
  const abort = (): void => {
    stream.stop(REQUEST_CANCELLED)
    stream.reset(REQUEST_CANCELLED)
  }
  signal?.addEventListener('abort', abort, { once: true })

  const { promise: permission, resolve: permit } = Promise.withResolvers<void>()
  if (!expectsContinue(request)) permit()
  // If the body throws, cancel the request. The response then reports the failure to the test.
  sendRequest(stream, request, requestFields(request, method, connection), permission).catch(() => abort())

  const frames = new FrameSource(stream)
  const informational: number[] = []
  for (;;) {
    const fields = await nextFields(frames, signal)
    const status = Number(fieldValue(fields, ':status'))
    const rawHeaders = fields.filter(([name]) => !name.startsWith(':'))
    checkNoConnectionFields(rawHeaders)
    if (status < 200) {
      informational.push(status)
      permit()
      continue
    }
    checkResponseHead(status, rawHeaders)
    const allowsBody = !isBodyless(method, status)
    const announced = fieldValue(rawHeaders, 'content-length')
    const length = allowsBody ? (announced === undefined ? undefined : Number(announced)) : 0
    const body = readBody(stream, frames, length, abort)
    if (!allowsBody) for await (const slice of body) throw new MalformedResponse(`${slice.length} bytes of content`)
    return new StreamedResponse({ status, rawHeaders, informational, body: allowsBody ? body : nothing(), abort })
  }
}

/** Returns the fields that this client sends for a request, pseudo-header fields first. */
export function requestFields(
  request: ClientRequest,
  method: string,
  { authority }: { readonly authority: string },
): TestField[] {
  const given = request.headers ?? []
  const regular = given.filter(([name]) => name.toLowerCase() !== 'host')
  const whole = request.body === undefined ? undefined : wholeBody(request.body)
  const hasLength = given.some(([name]) => name.toLowerCase() === 'content-length')
  const fields: TestField[] = [
    [':method', method],
    [':scheme', 'https'],
    [':authority', fieldValue(given, 'host') ?? authority],
    [':path', request.path],
    ...regular.map(([name, value]): TestField => [name.toLowerCase(), value]),
  ]
  if (whole !== undefined && !hasLength) fields.push(['content-length', String(whole.length)])
  return fields
}

async function sendRequest(
  stream: RawStream,
  request: ClientRequest,
  fields: readonly TestField[],
  permission: Promise<void>,
): Promise<void> {
  const hasMore = request.body !== undefined || request.trailers !== undefined
  await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(fields)), { end: !hasMore })
  if (!hasMore) return
  await permission
  for await (const slice of bodySlices(request.body)) {
    await stream.send(h3Frame(H3Frame.DATA, slice.subarray(0, 0), slice.length))
    await stream.send(slice)
  }
  const trailers = request.trailers === undefined ? '' : h3Frame(H3Frame.HEADERS, encodeFields(request.trailers))
  await stream.send(trailers, { end: true })
}

async function nextFields(frames: FrameSource, signal: AbortSignal | undefined): Promise<TestField[]> {
  for (;;) {
    const frame = await frames.next()
    signal?.throwIfAborted()
    if (frame === undefined) throw new IncompleteResponse('The stream ended without a response')
    const payload = await frames.payload(frame.length)
    if (frame.type === H3Frame.DATA) throw new MalformedResponse('DATA before the header section')
    if (frame.type === H3Frame.HEADERS) return decodeFields(payload)
  }
}

async function* readBody(
  stream: RawStream,
  frames: FrameSource,
  length: number | undefined,
  abort: () => void,
): AsyncGenerator<Uint8Array, readonly TestField[], void> {
  let received = 0
  let trailers: readonly TestField[] = []
  try {
    for (let frame; (frame = await frames.next()) !== undefined;) {
      if (frame.type === H3Frame.HEADERS) {
        trailers = decodeFields(await frames.payload(frame.length))
        checkFields(trailers)
        continue
      }
      if (frame.type !== H3Frame.DATA) await frames.payload(frame.length)
      else {
        for await (const slice of frames.slices(frame.length)) {
          received += slice.length
          yield slice
        }
      }
    }
    if (!stream.hasEnded) throw new IncompleteResponse('The request was canceled')
    if (length !== undefined && received !== length) {
      throw new MalformedResponse(`Content-Length is ${length}, but the content has ${received} bytes`)
    }
    return trailers
  } finally {
    if (!stream.hasEnded) abort()
  }
}

// oxlint-disable-next-line require-yield -- an empty body yields no slices
async function* nothing(): AsyncGenerator<Uint8Array, readonly TestField[], void> {
  return []
}
