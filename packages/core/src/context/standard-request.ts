import type { Exchange } from '@fw/types'
import { asBodyStream } from './body-stream.ts'
import { adaptResults, ignoreRejection } from './ignore-rejection.ts'

/** Methods of a `Request` that read its whole body. */
const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const

/** Class that is created with the first request, because Node.js loads `fetch` on first access. */
let BodyRequest: typeof Request | undefined

/** For each request and its clones, a function that throws if the body must not be read as JSON. */
const jsonChecks = new WeakMap<Request, () => void>()

/** For each cloned request and its clones, all of them. */
const copies = new WeakMap<Request, Request[]>()

/** Members of a context that `makeRequest` reads. */
export interface RequestSource {
  readonly exchange: Exchange
  readonly origin: string
  readonly path: string
  readonly rawQuery: string
  readonly signal: AbortSignal
  stream(): ReadableStream<Uint8Array>
}

/** Members of a `BodyReader` that `makeRequest` uses. */
export interface RequestBodyRules {
  /** Whether the body is decoded before it is read. */
  readonly isDecoded: boolean
  /** Throws if the body must not be read as JSON. `json()` of the request and of its clones then rejects. */
  requireJson(): void
}

/**
 * Creates a standard `Request`. Its URL is normalized (`/a/../b` becomes `/b`), unlike `ctx.path`. Its body is the
 * context's body, so read only one of the two.
 *
 * @throws {HttpError} if the origin is not valid
 * @throws {TypeError} if the method is CONNECT or TRACE, which a `Request` cannot have
 */
export function makeRequest(source: RequestSource, rules: RequestBodyRules): Request {
  const { exchange } = source
  const headers = new Headers()
  for (const [name, value] of exchange.headers) headers.append(name, value)
  if (rules.isDecoded) dropCoding(headers)
  // The Fetch standard does not allow a body for these methods.
  const hasBody = exchange.method !== 'GET' && exchange.method !== 'HEAD' && exchange.body.length !== 0
  const init = { method: exchange.method, headers, signal: source.signal }
  BodyRequest ??= bodyRequest()
  if (!hasBody) return new BodyRequest(requestUrl(source), init)
  const request = new BodyRequest(requestUrl(source), { ...init, body: source.stream(), duplex: 'half' })
  jsonChecks.set(request, () => rules.requireJson())
  return request
}

/** Removes the fields that describe an encoded body from a request and its clones. */
export function dropCodings(request: Request): void {
  for (const each of copies.get(request) ?? [request]) dropCoding(each.headers)
}

function dropCoding(headers: Headers): void {
  headers.delete('content-encoding')
  headers.delete('content-length')
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
      const family = copies.get(this) ?? [this]
      family.push(clone)
      for (const each of [this, clone]) copies.set(each, family)
      return Object.setPrototypeOf(clone, prototype) as Request
    },
  })
  adaptResults(prototype, READERS, ignoreRejection)
  return Class
}

function requestUrl({ origin, path, rawQuery }: RequestSource): string {
  const query = rawQuery === '' ? '' : `?${rawQuery}`
  return `${origin}${path.startsWith('/') ? `${path}${query}` : '/'}`
}
