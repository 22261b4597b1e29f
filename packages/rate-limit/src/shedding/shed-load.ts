import { checkOptions, integer, type OptionKinds } from '@fw/options'
import type { Middleware } from '@fw/types'
import { respondUnavailable } from '../response/problems.ts'
import { isExempt } from '../route-option.ts'
import { Load } from './load.ts'

/** Options of `shedLoad()`. */
export interface ShedLoadOptions {
  /** Event-loop delay in milliseconds above which requests are refused, averaged over about 200 ms. Default: 200. */
  readonly maxEventLoopDelayMs?: number
  /** Used heap in bytes above which requests are refused. Default: no limit. */
  readonly maxHeapBytes?: number
  /** Minimum `retry-after` in seconds, up to 3,600. The actual value is random, and at most twice as long. Default: 5. */
  readonly retryAfterSeconds?: number
}

const KINDS: OptionKinds<ShedLoadOptions> = {
  maxEventLoopDelayMs: integer(1),
  maxHeapBytes: integer(1),
  retryAfterSeconds: integer(1, 3600),
}

const MEANT: Readonly<Record<string, string>> = {
  maxEventLoopDelay: 'maxEventLoopDelayMs',
  maxHeapUsedBytes: 'maxHeapBytes',
  retryAfter: 'retryAfterSeconds',
}

/** The load of this process, which all middleware shares. */
let load: Load | undefined

/**
 * Creates middleware that refuses requests with 503 while the process is overloaded: when the event loop is late or the heap is
 * full. Requests that were already accepted can then still complete in time.
 *
 * Exempt health checks with the route option `rateLimit: false`. Otherwise, a supervisor would restart a busy process.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 *
 * @example
 * router.use(shedLoad())
 */
export function shedLoad(options: ShedLoadOptions = {}): Middleware {
  checkOptions('shedLoad', options, KINDS, MEANT)
  const { maxEventLoopDelayMs = 200, maxHeapBytes = Infinity, retryAfterSeconds = 5 } = options
  const measured = (load ??= new Load())
  return (ctx, next) => {
    const isOverloaded = measured.eventLoopDelayMs > maxEventLoopDelayMs || measured.heapBytes > maxHeapBytes
    if (!isOverloaded || isExempt(ctx)) return next()
    respondUnavailable(ctx, 'The server is overloaded', retryAfterSeconds)
    return undefined
  }
}
