import { HttpError, withCode } from '@fw/options'

/** Creates the error for a session that was changed after the head and its cookie were sent. */
export function headSent(api: string): Error {
  const fix = 'Change the session before the response starts.'
  return withCode('FW_RESPONSE_SENT', new Error(`session.${api}: the response head has been sent. ${fix}`))
}

/** Creates the error for a response head that is about to be sent before the store has the changes. */
export function unsaved(): Error {
  const fix = 'Call await session.save() before the response starts.'
  return withCode('FW_SESSION_UNSAVED', new Error(`The response starts before the session is saved. ${fix}`))
}

/**
 * Creates the error for a session that another request has destroyed or rotated, or that other requests changed during
 * every attempt to save it.
 */
export function conflict(): Error {
  return withCode('FW_SESSION_CONFLICT', new HttpError(409, 'Another request has changed the session'))
}

/**
 * Creates the error for a session whose cookie is too large. Browsers silently ignore a cookie of more than 4,096
 * bytes.
 */
export function tooLarge(gotBytes: number, maxCookieBytes: number): Error {
  const fix = 'Store less data, or use session() with a store.'
  return withCode(
    'FW_SESSION_TOO_LARGE',
    new Error(`session.update: the cookie would have ${gotBytes} bytes, more than ${maxCookieBytes}. ${fix}`),
  )
}
