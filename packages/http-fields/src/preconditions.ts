import type { RequestHeaders } from '@fw/types'
import { matchesStrongly, matchesWeakly } from './entity-tag.ts'
import { parseHttpDate } from './http-date.ts'

/** The validators of a representation. */
export interface Validators {
  /** Entity-tag with its quotes; `undefined` if there is none. */
  readonly etag: string | undefined
  /** Whole seconds since the Unix epoch; `undefined` if unknown. */
  readonly lastModified: number | undefined
}

/** The result: proceed, answer 304 or answer 412. */
export type PreconditionVerdict = 'proceed' | 'not-modified' | 'failed'

/**
 * Evaluates the conditions of a request for an existing resource, except `If-Range`.
 *
 * @see RFC 9110 §13.2.2 (precedence), §13.1 (each condition)
 */
export function evaluatePreconditions(
  method: string,
  headers: Pick<RequestHeaders, 'get'>,
  validators: Validators,
): PreconditionVerdict {
  const ifMatch = headers.get('if-match')
  if (ifMatch !== null) {
    if (!isAny(ifMatch) && !isNamed(ifMatch, validators, matchesStrongly)) return 'failed'
  } else {
    const limit = dateOf(headers.get('if-unmodified-since'))
    // §13.1.4: ignore the field if the resource has no modification date.
    if (limit !== undefined && validators.lastModified !== undefined && validators.lastModified > limit) return 'failed'
  }

  const isRead = method === 'GET' || method === 'HEAD'
  const ifNoneMatch = headers.get('if-none-match')
  if (ifNoneMatch !== null) {
    const isKnown = isNamed(ifNoneMatch, validators, matchesWeakly) || isAny(ifNoneMatch)
    if (!isKnown) return 'proceed'
    return isRead ? 'not-modified' : 'failed'
  }
  if (!isRead) return 'proceed'
  const since = dateOf(headers.get('if-modified-since'))
  const isOld = since !== undefined && validators.lastModified !== undefined && validators.lastModified <= since
  return isOld ? 'not-modified' : 'proceed'
}

/**
 * Reports whether `If-Range` permits a partial response. Uses strong comparison for tags and exact comparison for dates.
 *
 * @param ifRange The field value; `null` if absent
 * @see RFC 9110 §13.1.5
 */
export function holdsIfRange(ifRange: string | null, validators: Validators): boolean {
  if (ifRange === null) return true
  const date = parseHttpDate(ifRange)
  if (date !== undefined) return date === validators.lastModified
  return validators.etag !== undefined && !validators.etag.startsWith('W/') && ifRange === validators.etag
}

function isAny(list: string): boolean {
  return /^[\t ]*\*[\t ]*$/.test(list)
}

function isNamed(list: string, { etag }: Validators, matches: (list: string, etag: string) => boolean): boolean {
  return etag !== undefined && matches(list, etag)
}

/** Returns the date in a conditional field; `undefined` if the field is absent, or invalid and therefore ignored. */
function dateOf(field: string | null): number | undefined {
  return field === null ? undefined : parseHttpDate(field)
}
