import type { RequestHeaders, ResponseHeaders } from '@fw/types'

/** The fields of a request. */
export type RequestFields = Pick<RequestHeaders, 'get' | 'has'>

/**
 * Reports whether the page that sent a request can read the response. If it cannot, the length of a response that was encoded
 * with a dictionary would reveal its content.
 *
 * Stricter than the RFC: no other site's request with credentials qualifies, as with `crossSite: 'identity'` of `compress`. A page
 * on another site can navigate to a URL with a guess, and an observer of the network sees the length.
 *
 * @see RFC 9842 §9.3.3
 */
export function isReadable(request: RequestFields, response: Pick<ResponseHeaders, 'get'>): boolean {
  if (isOwnRequest(request)) return true
  if (request.has('cookie') || request.has('authorization')) return false
  const mode = request.get('sec-fetch-mode')
  if (mode === null || mode === 'navigate' || mode === 'same-origin') return true
  if (mode !== 'cors') return false
  const origin = request.get('origin')
  const allowed = response.get('access-control-allow-origin')
  return origin !== null && (allowed === '*' || allowed === origin)
}

/** Reports whether a request comes from the same origin, from the user, or from a client that is not a browser. */
export function isOwnRequest(request: RequestFields): boolean {
  const site = request.get('sec-fetch-site')
  return site === null || site === 'same-origin' || site === 'none'
}
