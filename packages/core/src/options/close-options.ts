import { checkOptions, integer, type OptionKinds } from '@fw/options'
import { MAX_TIMER_MS } from './timer.ts'

/** Options of `close`. */
export interface CloseOptions {
  /** Time in milliseconds after which running requests are aborted. Default: the option `drainMs` of the server. */
  readonly drainMs?: number
}

const CLOSE_KINDS: OptionKinds<CloseOptions> = { drainMs: integer(0, MAX_TIMER_MS) }

/**
 * Checks the options of `close`.
 *
 * @throws {TypeError} if an option does not exist or has the wrong type, or the argument is a callback
 * @throws {RangeError} if `drainMs` is not an integer that a timer accepts
 */
export function checkCloseOptions(options: CloseOptions): CloseOptions {
  if (typeof options === 'function') {
    throw new TypeError(
      'close: options must be an object, got a function. Await close() instead of passing a callback.',
    )
  }
  checkOptions('close', options, CLOSE_KINDS)
  return options
}
