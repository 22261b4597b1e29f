import { HttpError, withCode } from '@fw/options'
import type { Context } from '@fw/types'
import type { WebSocketSettings } from '../options.ts'

/**
 * Refuses pages from origins that the route does not allow. A browser lets any page open a WebSocket to any server, and sends the
 * user's cookies. CORS does not apply.
 *
 * @returns A promise if the option `origins` is a function that returns one
 * @throws {HttpError} 403 if the origin is not allowed
 * @see RFC 6455 §10.2
 */
export function checkOrigin(ctx: Context<object>, origins: WebSocketSettings['origins']): Promise<void> | undefined {
  if (origins === 'any') return undefined
  const origin = ctx.headers.get('origin')
  // Browsers always send the field. Other clients can send any value, so the check does not stop them.
  if (origin === null) return undefined
  if (typeof origins === 'function') {
    const isAllowed = origins(origin, ctx)
    if (typeof isAllowed === 'object') return isAllowed.then(requireAllowed)
    requireAllowed(isAllowed)
    return undefined
  }
  // `null`, which sandboxed frames send, is neither an origin of a request nor in a list.
  requireAllowed(origins === 'same' ? origin === ctx.origin : origins.has(origin))
  return undefined
}

function requireAllowed(isAllowed: unknown): void {
  if (isAllowed === true) return
  throw withCode(
    'FW_ORIGIN_REFUSED',
    new HttpError(403, 'The origin of the page is not allowed to open this WebSocket'),
  )
}
