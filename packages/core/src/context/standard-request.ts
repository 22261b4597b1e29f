import type { Exchange } from '@fw/types'
import { HttpError } from '../answer/http-error.ts'

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
  return new Request(requestUrl(source), {
    method: exchange.method,
    headers,
    signal: source.signal,
    ...(hasBody ? { body: source.stream(), duplex: 'half' } : {}),
  })
}

function requestUrl({ exchange, path, rawQuery }: RequestSource): string {
  const query = rawQuery === '' ? '' : `?${rawQuery}`
  const target = path.startsWith('/') ? `${path}${query}` : '/'
  const url = `${exchange.scheme}://${exchange.authority || 'localhost'}${target}`
  if (!URL.canParse(url)) throw new HttpError(400, 'The host of the request makes no URL')
  return url
}
