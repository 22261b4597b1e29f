import { checkOptions, func, integer, type OptionKinds } from '@fw/options'
import { type KeyOf, policyName } from '../keys.ts'

/** Options of `limitConcurrency()`. */
export interface ConcurrencyOptions {
  /** Maximum number of requests that run at the same time, for each key. Default: 200. */
  readonly maxRunning?: number
  /** Maximum number of requests that wait, for each key. Further requests are refused. Default: 400, twice `maxRunning`. */
  readonly maxQueued?: number
  /** Maximum time that a request waits in milliseconds, up to 60,000. After that, it is refused. Default: 1,000. */
  readonly maxQueueMs?: number
  /**
   * Returns the key of a client. Refused requests then get 429. Default: all requests share one limit, and refused requests get
   * 503.
   */
  readonly key?: KeyOf
  /** Name in the problem documents of 429. Default: `'concurrency'`. */
  readonly name?: string
  /**
   * Minimum `retry-after` of a refusal in seconds, up to 3,600. The actual value is random, and at most twice as long. Default:
   * 1.
   */
  readonly retryAfterSeconds?: number
}

/** The options with their defaults. */
export interface ConcurrencySettings extends Required<Omit<ConcurrencyOptions, 'key'>> {
  readonly key: KeyOf | undefined
}

const KINDS: OptionKinds<ConcurrencyOptions> = {
  maxRunning: integer(1),
  maxQueued: integer(0),
  maxQueueMs: integer(1, 60_000),
  key: func,
  name: policyName,
  retryAfterSeconds: integer(1, 3600),
}

const MEANT: Readonly<Record<string, string>> = { limit: 'maxRunning', max: 'maxRunning', timeoutMs: 'maxQueueMs' }

/**
 * Checks options and fills in the defaults.
 *
 * @throws {TypeError | RangeError} that names the option
 */
export function readConcurrencyOptions(options: ConcurrencyOptions): ConcurrencySettings {
  checkOptions('limitConcurrency', options, KINDS, MEANT)
  const { maxRunning = 200, maxQueueMs = 1000, key, name = 'concurrency', retryAfterSeconds = 1 } = options
  return { maxRunning, maxQueued: options.maxQueued ?? 2 * maxRunning, maxQueueMs, key, name, retryAfterSeconds }
}
