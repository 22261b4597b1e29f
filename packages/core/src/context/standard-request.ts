import { withCode } from '@fw/options'
import type { Exchange } from '@fw/types'
import { HttpError } from '../response/http-error.ts'
import { asBodyStream } from './body-stream.ts'
import { adaptResults, ignoreRejection } from './ignore-rejection.ts'

/** Methods of a `Request` that read its whole body. */
const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const

/** Matches an IPvFuture address (RFC 3986 §3.2.2), such as `[v1.a]`. The URL standard has no such hosts. */
const IP_FUTURE = /^\[v[^\]]*\]/i
/** Replaces an IPvFuture address. RFC 6761 §6.4: no client resolves the name, so no link built on it leads to another host. */
const IP_FUTURE_HOST = 'ipvfuture.invalid'

/** Created with the first request, because Node.js loads `fetch` on first access. */
let BodyRequest: typeof Request | undefined

/** For each request and its clones, a function that throws if the body must not be read as JSON. */
const jsonChecks = new WeakMap<Request, () => void>()

/** Members of a context that `makeRequest` reads. */
export interface RequestSource {
  readonly exchange: Exchange
  readonly path: string
  readonly rawQuery: string
  readonly signal: AbortSignal
  stream(): ReadableStream<Uint8Array>
}

/**
 * Creates a standard `Request`. Its URL is normalized (`/a/../b` becomes `/b`), unlike `ctx.path`. Its body is the
 * context's body: read only one of them.
 *
 * @param checkJson Throws if the body must not be read as JSON. `json()` on the request and its clones then rejects.
 * @throws {HttpError} 400 if the host and path do not form a valid URL
 * @throws {TypeError} if the method is CONNECT or TRACE, which a `Request` cannot have
 */
export function makeRequest(source: RequestSource, checkJson: () => void): Request {
  const { exchange } = source
  const headers = new Headers()
  for (const [name, value] of exchange.headers) headers.append(name, value)
  // The Fetch standard does not allow a body for these methods.
  const hasBody = exchange.method !== 'GET' && exchange.method !== 'HEAD' && exchange.body.length !== 0
  const init = { method: exchange.method, headers, signal: source.signal }
  BodyRequest ??= bodyRequest()
  if (!hasBody) return new BodyRequest(requestUrl(source), init)
  const request = new BodyRequest(requestUrl(source), { ...init, body: source.stream(), duplex: 'half' })
  jsonChecks.set(request, checkJson)
  return request
}

/**
 * Creates a `Request` class whose body readers never cause an unhandled rejection, even on its clones. Its `json()`
 * accepts the media types that `ctx.json()` accepts.
 */
// docs/decisions/0107
function bodyRequest(): typeof Request {
  const Class = class extends Request {}
  const { prototype } = Class
  const standard = Request.prototype
  Object.assign(prototype, {
    async json(this: Request): Promise<unknown> {
      jsonChecks.get(this)?.()
      return standard.json.call(this)
    },
    clone(this: Request): Request {
      const clone = standard.clone.call(this)
      if (clone.body !== null) asBodyStream(clone.body)
      const check = jsonChecks.get(this)
      if (check !== undefined) jsonChecks.set(clone, check)
      return Object.setPrototypeOf(clone, prototype) as Request
    },
  })
  adaptResults(prototype, READERS, ignoreRejection)
  return Class
}

function requestUrl({ exchange, path, rawQuery }: RequestSource): string {
  const query = rawQuery === '' ? '' : `?${rawQuery}`
  const target = path.startsWith('/') ? `${path}${query}` : '/'
  const authority = exchange.authority.replace(IP_FUTURE, IP_FUTURE_HOST) || 'localhost'
  const url = `${exchange.scheme}://${authority}${target}`
  if (!URL.canParse(url)) {
    throw withCode('FW_INVALID_HOST', new HttpError(400, 'The host of the request is not valid in a URL'))
  }
  return url
}
