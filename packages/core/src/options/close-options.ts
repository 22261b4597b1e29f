import { checkOptions, integer, type OptionKinds, withCode } from '@fw/options'
import { MAX_TIMER_MS } from './timer.ts'

/** Options of `close`. */
export interface CloseOptions {
  /**
   * Limits the time that in-flight requests have to finish, in milliseconds; then the server aborts them. Default: the
   * server's `drainMs`.
   */
  readonly drainMs?: number
}

const CLOSE_KINDS: OptionKinds<CloseOptions> = { drainMs: integer(0, MAX_TIMER_MS) }

/**
 * Checks the options of `close`.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type, or if the argument is a callback
 * @throws {RangeError} if `drainMs` is not an integer from 0 to `MAX_TIMER_MS`
 */
export function checkCloseOptions(options: CloseOptions): CloseOptions {
  if (typeof options === 'function') {
    throw withCode(
      'FW_INVALID_OPTION',
      new TypeError('close: options must be an object, got a function. Await close() instead of passing a callback.'),
    )
  }
  checkOptions('close', options, CLOSE_KINDS)
  return options
}
