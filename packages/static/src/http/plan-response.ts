import type { RequestHeaders } from '@fw/types'
import { evaluatePreconditions, holdsIfRange } from '@fw/http-fields'
import { parseRange, type ByteRange } from './range.ts'
import type { Representation } from './representation.ts'

/** The status of a response, with the range for 206. */
export type PlannedResponse =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 }
  | { readonly status: 412 }
  | { readonly status: 416 }

/**
 * Chooses the response to a request for an existing representation from the request header fields.
 *
 * @see RFC 9110 §13.2.2 (conditions come first), §14.2 (ranges apply to GET only)
 */
export function planResponse(
  method: string,
  headers: Pick<RequestHeaders, 'get'>,
  representation: Pick<Representation, 'etag' | 'lastModified' | 'size'>,
): PlannedResponse {
  const verdict = evaluatePreconditions(method, headers, representation)
  if (verdict === 'not-modified') return { status: 304 }
  if (verdict === 'failed') return { status: 412 }

  const field = method === 'GET' ? headers.get('range') : null
  if (field === null || !holdsIfRange(headers.get('if-range'), representation)) return { status: 200 }
  const range = parseRange(field, representation.size)
  if (range === undefined) return { status: 200 }
  return range === 'unsatisfiable' ? { status: 416 } : { status: 206, range }
}
