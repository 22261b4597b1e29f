import type { ClientRequest } from './client.ts'

/** The method to send: the one given, else by whether there is a body. */
export function requestMethod(request: ClientRequest): string {
  return request.method ?? (request.body === undefined ? 'GET' : 'POST')
}

/** The body's bytes if they are all there, `undefined` if they are still to come. */
export function wholeBody(body: ClientRequest['body']): Uint8Array | undefined {
  if (body === undefined) return new Uint8Array()
  if (typeof body === 'string') return Buffer.from(body, 'utf8')
  return body instanceof Uint8Array ? body : undefined
}

/** The body's slices, whatever form it was given in. */
export async function* bodySlices(body: ClientRequest['body']): AsyncGenerator<Uint8Array, void, void> {
  const whole = wholeBody(body)
  if (whole === undefined) yield* body as AsyncIterable<Uint8Array>
  else if (whole.length > 0) yield whole
}

/** Whether the body has to wait for a 100 (RFC 9110 §10.1.1). */
export function expectsContinue(request: ClientRequest): boolean {
  return (request.headers ?? []).some(
    ([name, value]) => name.toLowerCase() === 'expect' && value.toLowerCase() === '100-continue',
  )
}
