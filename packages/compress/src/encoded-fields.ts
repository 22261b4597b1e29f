import { addVary, matchesStrongly, matchesWeakly } from '@fw/http-fields'
import type { Context, ResponseHeaders } from '@fw/types'

/** Reports whether a response must not be changed: it is encoded, a part of a body, or has a digest of its bytes. */
export function isFixed(status: number, headers: ResponseHeaders): boolean {
  return (
    status === 206 ||
    headers.has('content-encoding') ||
    headers.has('content-range') ||
    headers.has('content-digest') ||
    headers.has('repr-digest') ||
    // RFC 9111 §5.2.2.6.
    /(?:^|[\s,])no-transform(?:$|[\s,])/i.test(headers.get('cache-control') ?? '')
  )
}

/** Sets the fields of an encoded body. */
export function mark(headers: ResponseHeaders, coding: string): void {
  headers.set('content-encoding', coding)
  // A range would count bytes of another representation.
  headers.delete('accept-ranges')
  const etag = headers.get('etag')
  // RFC 9110 §8.8.3.3: two codings must not share a strong tag.
  if (etag !== null && !etag.startsWith('W/')) headers.set('etag', `W/${etag}`)
}

/** Repeats the weak tag on a 304 if the client has the encoded response. */
export function keepWeakTag(headers: ResponseHeaders, ctx: Context): void {
  const etag = headers.get('etag')
  const known = ctx.headers.get('if-none-match')
  if (etag === null || known === null || etag.startsWith('W/')) return
  if (!matchesWeakly(known, etag) || matchesStrongly(known, etag)) return
  headers.set('etag', `W/${etag}`)
  addVary(headers, 'accept-encoding')
}
