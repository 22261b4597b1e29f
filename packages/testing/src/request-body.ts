import type { ClientRequest } from './client.ts'

/** Returns the method of a request. Default: `POST` with a body, otherwise `GET`. */
export function requestMethod(request: ClientRequest): string {
  return request.method ?? (request.body === undefined ? 'GET' : 'POST')
}

/** Returns the bytes of a body, or `undefined` if it is an iterable. */
export function wholeBody(body: ClientRequest['body']): Uint8Array | undefined {
  if (body === undefined) return new Uint8Array()
  if (typeof body === 'string') return Buffer.from(body, 'utf8')
  return body instanceof Uint8Array ? body : undefined
}

/** Yields the slices of a body, whatever its type. */
export async function* bodySlices(body: ClientRequest['body']): AsyncGenerator<Uint8Array, void, void> {
  const whole = wholeBody(body)
  if (whole === undefined) yield* body as AsyncIterable<Uint8Array>
  else if (whole.length > 0) yield whole
}

/** Reports whether the body must wait for a 100 response (RFC 9110 §10.1.1). */
export function expectsContinue(request: ClientRequest): boolean {
  return (request.headers ?? []).some(
    ([name, value]) => name.toLowerCase() === 'expect' && value.toLowerCase() === '100-continue',
  )
}
