import { showValue, withCode } from '@fw/options'

/**
 * Returns the status to send for the one that middleware has set. Converts it to an integer like Node.js. Replaces one that is
 * not from 200 to 599: by 502 from 600 to 999, which only other servers send, and otherwise by 500.
 */
export function sendableStatus(given: unknown): number {
  const status = typeof given === 'number' || typeof given === 'string' ? Math.trunc(Number(given)) : 0
  if (status >= 200 && status <= 599) return status
  return status >= 600 && status <= 999 ? 502 : 500
}

/** Returns the error to log for a status that was replaced; `undefined` if it was only converted. */
export function replacedStatus(given: unknown, sent: number): Error | undefined {
  if (typeof given !== 'symbol' && Math.trunc(Number(given)) === sent) return undefined
  return withCode(
    'FW_INVALID_STATUS',
    new RangeError(
      `response: status must be an integer from 200 to 599, got ${showValue(given)}. Status ${sent} was sent instead.`,
    ),
  )
}
