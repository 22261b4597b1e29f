import type { RequestHeaders, ResponseHeaders } from '@fw/types'

/** The fields of a request. */
export type RequestFields = Pick<RequestHeaders, 'get' | 'has'>

/**
 * Reports whether the page that sent a request can read the response. If it cannot, the length of a response that was encoded
 * with a dictionary would reveal its content.
 *
 * @see RFC 9842 §9.3.3
 */
export function isReadable(request: RequestFields, response: Pick<ResponseHeaders, 'get'>): boolean {
  const site = request.get('sec-fetch-site')
  if (site === null || site === 'same-origin') return true
  const mode = request.get('sec-fetch-mode')
  if (mode === null || mode === 'navigate' || mode === 'same-origin') return true
  if (mode !== 'cors') return false
  const origin = request.get('origin')
  const allowed = response.get('access-control-allow-origin')
  if (origin === null || allowed === null) return false
  // Stricter than the RFC: under `*`, no page can read a response to a request with credentials (Fetch §4.10).
  return allowed === '*' ? !hasCredentials(request) : allowed === origin
}

/** Reports whether a request comes from the same origin, from the user, or from a client that is not a browser. */
export function isOwnRequest(request: RequestFields): boolean {
  const site = request.get('sec-fetch-site')
  return site === null || site === 'same-origin' || site === 'none'
}

/** Reports whether a request identifies a user. */
export function hasCredentials(request: RequestFields): boolean {
  return request.has('cookie') || request.has('authorization')
}
