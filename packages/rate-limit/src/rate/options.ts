import {
  checkOptions,
  either,
  flag,
  func,
  integer,
  objectWith,
  oneOf,
  optionError,
  type OptionKinds,
} from '@fw/options'
import type { Context } from '@fw/types'
import { type KeyOf, policyName } from '../keys.ts'
import { type Quota, quotaOf } from './gcra.ts'
import { memoryRateLimits } from './memory-store.ts'
import type { RateLimitStore } from './store.ts'

/** Options of `rateLimit()`. */
export interface RateLimitOptions {
  /** Units per window that a client can use on average. A request costs one unit unless `cost` specifies another number. */
  readonly limit: number
  /** Length of the window in milliseconds, up to 31 days. Used units return evenly over the window. Default: 60,000. */
  readonly windowMs?: number
  /** Units that a client can use at the same time. Any window allows at most `limit + burst`. Default: `limit`. */
  readonly burst?: number
  /**
   * Name in the fields, in problem documents and in store keys, without `:`. Limits that share a store need different names.
   * Default: `'default'`.
   */
  readonly name?: string
  /**
   * Returns the key of a client, whose SHA-256 digest is stored. Default: the client's address, or the 64-bit network of an
   * IPv6 address.
   */
  readonly key?: KeyOf
  /** Number of units that a request uses: an integer, or a function that returns one. With 0, it uses no units. Default: 1. */
  readonly cost?: number | ((ctx: Context) => number | Promise<number>)
  /** Stores the used units of each key. Default: `memoryRateLimits()`, which counts only for this process. */
  readonly store?: RateLimitStore
  /** Time in milliseconds after which a store call counts as failed, up to 60,000. Default: 100. */
  readonly timeoutMs?: number
  /** Allows or refuses (503) requests while the store fails. Default: `'allow'`. */
  readonly onStoreError?: 'allow' | 'refuse'
  /** Called when the store fails, and not again until it has recovered. Default: a process warning. */
  readonly onError?: (error: unknown) => void
  /** Sends the fields `RateLimit` and `RateLimit-Policy`. Default: `true`. */
  readonly fields?: boolean
}

/** The options with their defaults. */
export interface RateSettings extends Required<Omit<RateLimitOptions, 'onError' | 'key'>> {
  readonly quota: Quota
  readonly key: KeyOf | undefined
  readonly onError: ((error: unknown) => void) | undefined
}

const LONGEST_WINDOW_MS = 31 * 24 * 60 * 60 * 1000
/** Maximum burst time. A longer one, added to the microseconds since 1970, would exceed the safe integers. */
const LONGEST_BURST_US = 2 ** 52
/** Maximum number of units. Above it, the rounded interval would be too imprecise. */
const MOST_UNITS = 1_000_000

const RATE_LIMIT_KINDS: OptionKinds<RateLimitOptions> = {
  limit: integer(1, MOST_UNITS),
  windowMs: integer(1, LONGEST_WINDOW_MS),
  burst: integer(1, MOST_UNITS),
  name: policyName,
  key: func,
  cost: either(integer(0, MOST_UNITS), func),
  store: objectWith('a store, such as redisRateLimits(client)', 'take'),
  timeoutMs: integer(1, 60_000),
  onStoreError: oneOf('allow', 'refuse'),
  onError: func,
  fields: flag,
}

/** Option names from other libraries, and their replacements. */
const MEANT: Readonly<Record<string, string>> = {
  max: 'limit',
  points: 'limit',
  duration: 'windowMs',
  timeWindow: 'windowMs',
  window: 'windowMs',
  keyGenerator: 'key',
  allowList: 'the route option rateLimit: false',
  skip: 'the route option rateLimit: false',
}

/**
 * Checks options and fills in the defaults.
 *
 * @throws {TypeError | RangeError} that names the option
 */
export function readOptions(options: RateLimitOptions): RateSettings {
  checkOptions('rateLimit', options, RATE_LIMIT_KINDS, MEANT)
  const { limit, windowMs = 60_000, cost = 1, name = 'default', onStoreError = 'allow' } = options
  const { burst = limit, store = memoryRateLimits(), timeoutMs = 100, fields = true } = options
  if (limit === undefined) {
    const fix = 'Write, for example, { limit: 100 }, for 100 requests per minute.'
    throw optionError({ api: 'rateLimit', name: 'limit', expected: 'a positive integer', got: 'undefined', fix })
  }
  const quota = quotaOf(limit, windowMs, burst)
  if (quota.burstUs > LONGEST_BURST_US) {
    throw optionError({
      api: 'rateLimit',
      name: 'burst',
      expected: `at most ${Math.floor(LONGEST_BURST_US / quota.intervalUs)} for this rate`,
      got: String(burst),
      isRange: true,
    })
  }
  const { key, onError } = options
  return { limit, windowMs, burst, name, key, cost, store, timeoutMs, onStoreError, onError, fields, quota }
}
