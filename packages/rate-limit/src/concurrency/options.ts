import { checkOptions, func, integer, type OptionKinds } from '@fw/options'
import { type KeyOf, policyName } from '../keys.ts'

/** Options of `limitConcurrency()`. */
export interface ConcurrencyOptions {
  /** Requests that run at the same time, of each key. Default: 200. */
  readonly maxRunning?: number
  /** Requests that wait, of each key. Others are refused. Default: 400, twice `maxRunning`. */
  readonly maxQueued?: number
  /** Time that a request waits in milliseconds, up to 60,000. Then it is refused. Default: 1,000. */
  readonly maxQueueMs?: number
  /** Returns the key of a client, and refuses with 429. Default: all requests share one limit, which refuses with 503. */
  readonly key?: KeyOf
  /** Name in the problem documents of 429. Default: `'concurrency'`. */
  readonly name?: string
  /** Shortest `retry-after` of a refusal in seconds, up to 3,600; up to twice as long, at random. Default: 1. */
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
