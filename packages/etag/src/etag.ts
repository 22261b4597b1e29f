import { hash } from 'node:crypto'
import { evaluatePreconditions, parseHttpDate, type Validators } from '@fw/http-fields'
import { checkOptions, flag, integer, type OptionKinds } from '@fw/options'
import type { Context, Middleware, OutgoingResponse, ResponseHeaders } from '@fw/types'
import './route-option.ts'

/** Options of `etag()`. */
export interface EtagOptions {
  /** Marks the tags as weak, for bodies that can have different bytes but the same meaning. Default false. */
  readonly weak?: boolean
  /**
   * Maximum length in bytes of a body that gets a tag. The tag is computed on the event loop: 256 KiB take about 0.2 ms.
   * Default 262,144.
   */
  readonly maxBytes?: number
}

const KINDS: OptionKinds<EtagOptions> = { weak: flag, maxBytes: integer(0) }

/**
 * Fields that describe a body that the client does not receive. With these fields, a cache could store the error as
 * that body.
 */
const OF_REFUSED_BODY = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'etag',
  'expires',
  'last-modified',
]

/** Maximum UTF-8 bytes per code unit of a string. */
const MAX_UNIT_BYTES = 3

/**
 * Creates middleware that adds an `ETag` to responses and evaluates the conditions of requests. A client that has the current
 * response receives a 304 without a body. The handler still runs.
 *
 * It changes only 200 responses to `GET` and `HEAD` whose body is in memory. It keeps an `ETag` that the handler has set. It
 * does not tag responses with `Cache-Control: no-store`.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type
 * @throws {RangeError} if `maxBytes` is negative
 *
 * @example
 * router.use(etag())
 */
export function etag(options: EtagOptions = {}): Middleware {
  checkOptions('etag', options, KINDS)
  const { weak = false, maxBytes = 262_144 } = options
  const filter = (response: OutgoingResponse, ctx: Context): void => {
    if (response.status !== 200 || response.kind !== 'whole') return
    // RFC 9111 §4.3.5: a tag that differs from the tag for GET makes a stored response stale.
    if (ctx.method === 'HEAD' && response.lengthBytes === 0) return
    const validators = validatorsOf(response, weak, maxBytes)
    const verdict = evaluatePreconditions(ctx.method, ctx.headers, validators)
    if (verdict === 'not-modified') makeNotModified(response)
    else if (verdict === 'failed') makeFailed(response)
  }
  return (ctx, next) => {
    if ((ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.route?.options.etag !== false) ctx.filterResponse(filter)
    return next()
  }
}

/** Returns the validators of a response. Adds a tag to a response without one. */
function validatorsOf(response: OutgoingResponse, isWeak: boolean, maxBytes: number): Validators {
  const { headers, whole } = response
  const modified = headers.get('last-modified')
  const lastModified = modified === null ? undefined : parseHttpDate(modified)
  const known = headers.get('etag')
  if (known !== null) return { etag: known, lastModified }
  if (whole === null || isLonger(whole, maxBytes) || isNotStored(headers)) return { etag: undefined, lastModified }
  const tag = `${isWeak ? 'W/' : ''}"${hash('sha1', whole, 'base64url')}"`
  headers.set('etag', tag)
  return { etag: tag, lastModified }
}

function isLonger(body: string | Uint8Array, maxBytes: number): boolean {
  if (typeof body !== 'string') return body.byteLength > maxBytes
  return body.length * MAX_UNIT_BYTES > maxBytes && Buffer.byteLength(body) > maxBytes
}

/** Reports whether caches must not store the response (RFC 9111 §5.2.2.5). Clients then never send its tag. */
function isNotStored(headers: ResponseHeaders): boolean {
  return /(?:^|,)\s*no-store\s*(?:,|$)/i.test(headers.get('cache-control') ?? '')
}

/** Removes the body and the fields that describe it (RFC 9110 §15.4.5). */
function makeNotModified(response: OutgoingResponse): void {
  const { headers } = response
  response.replace(null)
  response.status = 304
  headers.delete('content-type')
  headers.delete('content-length')
  headers.delete('content-encoding')
  headers.delete('content-language')
}

/** Responds with 412, because the client requested a version that is no longer current (RFC 9110 §13.1.1). */
function makeFailed(response: OutgoingResponse): void {
  const { headers } = response
  response.status = 412
  response.replace(JSON.stringify({ type: 'about:blank', title: 'Precondition Failed', status: 412 }))
  for (const name of OF_REFUSED_BODY) headers.delete(name)
  if (!/(?:^|,)\s*(?:no-store|private)\b/i.test(headers.get('cache-control') ?? '')) headers.delete('cache-control')
  headers.set('content-type', 'application/problem+json')
}
