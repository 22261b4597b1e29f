import type { Exchange } from '@fw/types'
import { HttpError } from '../response/http-error.ts'
import { asBodyStream } from './body-stream.ts'
import { adaptResults, ignoreRejection } from './ignore-rejection.ts'

/** The members of a `Request` that read its body as a whole. */
const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const

/** Created with the first request, as Node.js loads `fetch` on first access. */
let BodyRequest: typeof Request | undefined

/** What a `Request` is made from. */
export interface RequestSource {
  readonly exchange: Exchange
  readonly path: string
  readonly rawQuery: string
  readonly signal: AbortSignal
  stream(): ReadableStream<Uint8Array>
}

/**
 * Makes a standard `Request`. Its URL is normalised as URLs are (`/a/../b` is `/b`); the path as received is
 * `ctx.path`. Its body is the body of the request: read one or the other.
 *
 * @throws {HttpError} 400 if host and path make no URL
 * @throws {TypeError} for the methods that a `Request` cannot have: CONNECT, TRACE
 */
export function makeRequest(source: RequestSource): Request {
  const { exchange } = source
  const headers = new Headers()
  for (const [name, value] of exchange.headers) headers.append(name, value)
  // The standard allows no body here, and a client has no reason to send one.
  const hasBody = exchange.method !== 'GET' && exchange.method !== 'HEAD' && exchange.body.length !== 0
  const init = { method: exchange.method, headers, signal: source.signal }
  BodyRequest ??= bodyRequest()
  if (!hasBody) return new BodyRequest(requestUrl(source), init)
  return new BodyRequest(requestUrl(source), { ...init, body: source.stream(), duplex: 'half' })
}

/** Creates the class of requests whose readers, and those of their clones, cause no unhandled rejection. */
function bodyRequest(): typeof Request {
  const Class = class extends Request {}
  adaptResults(Class.prototype, READERS, ignoreRejection)
  adaptResults(Class.prototype, ['clone'], (clone: Request) => {
    if (clone.body !== null) asBodyStream(clone.body)
    return Object.setPrototypeOf(clone, Class.prototype) as Request
  })
  return Class
}

function requestUrl({ exchange, path, rawQuery }: RequestSource): string {
  const query = rawQuery === '' ? '' : `?${rawQuery}`
  const target = path.startsWith('/') ? `${path}${query}` : '/'
  const url = `${exchange.scheme}://${exchange.authority || 'localhost'}${target}`
  if (!URL.canParse(url)) throw new HttpError(400, 'The host of the request makes no URL')
  return url
}
