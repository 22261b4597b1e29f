import * as crypto from 'node:crypto'
import { checkOptions, either, fieldName, flag, func, type OptionKinds } from '@fw/options'
import type { Context, Middleware } from '@fw/types'
import { correlationId, RequestId } from './entry/request-id.ts'

/** Node.js 24 supports UUID version 7 since 24.16. */
const newId = (crypto as Partial<typeof crypto>).randomUUIDv7 ?? crypto.randomUUID

/** Options of `requestId()`. */
export interface RequestIdOptions {
  /** Header field with the ID, in requests and responses. Default `x-request-id`. */
  readonly header?: string
  /**
   * Uses the ID in the request if it has 1 to 128 visible ASCII characters without `"`, `\`, `[` and `]`. Any client can send
   * an ID, so use `true` only behind a proxy that replaces the field, or pass a function that decides for each request. Default
   * false.
   */
  readonly trust?: boolean | ((ctx: Context) => boolean)
}

const KINDS: OptionKinds<RequestIdOptions> = {
  header: fieldName,
  trust: { ...either(flag, func), expected: 'true, false or a function' },
}

/**
 * Creates middleware that assigns each request an ID: a UUID, which sorts by time on Node.js 24.16 and later (version 7). The
 * response carries the ID in a header field, `ctx.get(RequestId)` returns it, and `accessLog` and `RequestLogger` use it.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type
 *
 * @example
 * router.use(accessLog(), requestId())
 */
export function requestId(options: RequestIdOptions = {}): Middleware {
  checkOptions('requestId', options, KINDS)
  const { header = 'x-request-id', trust = false } = options
  const name = header.toLowerCase()
  return (ctx, next) => {
    const isTrusted = typeof trust === 'function' ? trust(ctx) : trust
    const id = (isTrusted ? correlationId(ctx.headers.get(name)) : undefined) ?? newId()
    ctx.set(RequestId, id)
    ctx.responseHeaders.set(name, id)
    return next()
  }
}
