import { evaluatePreconditions, formatHttpDate, parseHttpDate, type PreconditionVerdict } from '@fw/http-fields'
import { checkOptions, flag, HttpError, type OptionKind, type OptionKinds, withCode } from '@fw/options'
import type { Context } from '@fw/types'

/** The current state of the resource that a request reads or changes. */
export interface ResourceState {
  /** Entity tag with its quotes, such as `'"v7"'`. Default: none. */
  readonly etag?: string | undefined
  /** Time of the last change. HTTP compares whole seconds. Default: unknown. */
  readonly lastModified?: Date | undefined
  /** Whether the resource exists. Set `false` for a `PUT` that creates it, so that `If-None-Match: *` is true. Default true. */
  readonly exists?: boolean
  /**
   * Refuses requests with methods other than `GET` and `HEAD` unless they name the state that they change: `If-Match` with a
   * tag, `If-Unmodified-Since`, or `If-None-Match: *`. Responses to `GET` and `HEAD` get `Cache-Control: no-transform`, because
   * compression would make the tag weak, which `If-Match` never matches. Default false.
   */
  readonly required?: boolean
}

/** RFC 9110 §8.8.3: `W/` for a weak tag, then quotes around visible characters. */
const entityTag: OptionKind = {
  expected: 'an entity tag in quotes, such as \'"v7"\'',
  accepts: (value) => typeof value === 'string' && /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(value),
}

const validDate: OptionKind = {
  expected: 'a valid Date',
  accepts: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
}

const KINDS: OptionKinds<ResourceState> = { etag: entityTag, lastModified: validDate, exists: flag, required: flag }

/**
 * Evaluates the conditions of a request against the state of its resource. Call it before the handler changes or creates
 * anything.
 *
 * Sets `ETag` and `Last-Modified` in responses to `GET` and `HEAD`. If the client has the current state, prepares a 304 and
 * returns `false`. The handler must then return without responding. Otherwise, returns `true`.
 *
 * @throws {HttpError} 412 if a condition is false; 428 if `required` is set and no condition names a state
 * @throws {TypeError} if the state has an unknown property or an invalid value
 * @see RFC 9110 §13.2.2, RFC 6585 §3
 *
 * @example
 * router.put('/notes/:id', async (ctx) => {
 *   const note = await load(ctx.params.id)
 *   checkPreconditions(ctx, { etag: note.etag, required: true })
 *   await save(ctx.params.id, await ctx.json())
 * })
 */
export function checkPreconditions(ctx: Context, state: ResourceState): boolean {
  checkOptions('checkPreconditions', state, KINDS)
  const { etag, lastModified, exists = true, required = false } = state
  const seconds = lastModified === undefined ? undefined : Math.floor(lastModified.getTime() / 1000)
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  if (isRead) {
    if (etag !== undefined) ctx.responseHeaders.set('etag', etag)
    if (required) ctx.responseHeaders.append('cache-control', 'no-transform')
    const date = seconds === undefined ? undefined : formatHttpDate(seconds)
    if (date !== undefined) ctx.responseHeaders.set('last-modified', date)
  } else if (required && !namesState(ctx, exists, lastModified)) {
    const message = 'Send If-Match with the entity tag of the version that you have read'
    throw withCode('FW_PRECONDITION_REQUIRED', new HttpError(428, message))
  }
  const verdict = exists
    ? evaluatePreconditions(ctx.method, ctx.headers, { etag, lastModified: seconds })
    : withoutResource(ctx)
  if (verdict === 'failed') {
    const message = 'The resource does not meet the conditions of the request'
    throw withCode('FW_PRECONDITION_FAILED', new HttpError(412, message))
  }
  if (verdict === 'proceed') return true
  ctx.empty(304)
  return false
}

/**
 * Evaluates the conditions for a resource that does not exist: `If-Match` is false, and `If-None-Match` is true (RFC 9110
 * §13.1).
 */
function withoutResource({ headers }: Context): PreconditionVerdict {
  return headers.has('if-match') ? 'failed' : 'proceed'
}

/**
 * Reports whether the request has a condition that fails if another client has changed or created the resource. `If-Match: *`
 * is true for every version, and a date has no effect if the resource has none.
 */
function namesState({ headers }: Context, exists: boolean, lastModified: Date | undefined): boolean {
  const ifMatch = headers.get('if-match')
  if (ifMatch !== null) return ifMatch.trim() !== '*'
  if (headers.get('if-none-match')?.trim() === '*') return true
  const unmodifiedSince = headers.get('if-unmodified-since')
  return (
    exists && lastModified !== undefined && unmodifiedSince !== null && parseHttpDate(unmodifiedSince) !== undefined
  )
}
