import { showValue, withCode } from '@fw/options'
import type { Context, Middleware, Next } from '@fw/types'
import { checkedKey } from '../keys.ts'
import { quotaExceeded, respondUnavailable } from '../response/problems.ts'
import { isExempt } from '../route-option.ts'
import { isThenable } from '../thenable.ts'
import { addressKey } from './address-key.ts'
import { limitField, policyField, wholeSeconds } from './fields.ts'
import { type Grant, waitUs } from './gcra.ts'
import { GuardedStore } from './guarded-store.ts'
import { type RateLimitOptions, type RateSettings, readOptions } from './options.ts'

/** Minimum seconds in `retry-after` while the store is failing. */
const STORE_RETRY_SECONDS = 1

/**
 * Creates middleware that limits the rate of requests per client. Refuses a client that exceeds the limit with 429 and
 * `retry-after`. The error has the code `FW_RATE_LIMITED`.
 *
 * An idle client can use `burst` units at the same time, and up to `limit` more while they return. A window therefore allows up
 * to `limit + burst` units. Set a smaller `burst` for logins. A refused request takes no units.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 *
 * @example
 * router.use(rateLimit({ limit: 100 }))   // 100 requests per minute and address
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  const limiter = new Limiter(readOptions(options))
  return (ctx, next) => {
    if (isExempt(ctx)) return next()
    const passes = limiter.passes(ctx)
    if (passes instanceof Promise) return continueIf(passes, next)
    return passes ? next() : undefined
  }
}

async function continueIf(passes: Promise<boolean>, next: Next): Promise<void> {
  if (await passes) await next()
}

class Limiter {
  readonly #settings: RateSettings
  readonly #store: GuardedStore
  readonly #policy: string
  readonly #limits: (grant: Grant) => string

  constructor(settings: RateSettings) {
    const { name, limit, windowMs, quota, store, timeoutMs, onError } = settings
    this.#settings = settings
    this.#store = new GuardedStore(store, timeoutMs, onError)
    this.#policy = policyField(name, limit, windowMs)
    this.#limits = limitField(name, quota)
  }

  /**
   * Takes the units of a request and prepares the fields. Reports whether the request passes; if not, the response is
   * prepared.
   *
   * @throws {HttpError} 429 if there are not enough units
   */
  passes(ctx: Context): boolean | Promise<boolean> {
    // Do not await a value that is not a promise: with the store in memory, a request then continues synchronously.
    const { key: keyOf } = this.#settings
    if (keyOf === undefined) return this.#price(ctx, addressKey(ctx.clientAddress))
    const key = keyOf(ctx)
    return isThenable(key)
      ? Promise.resolve(key).then((settled) => this.#price(ctx, checkedKey('rateLimit', settled)))
      : this.#price(ctx, checkedKey('rateLimit', key))
  }

  #price(ctx: Context, key: string): boolean | Promise<boolean> {
    const { cost: costOf } = this.#settings
    const cost = typeof costOf === 'number' ? costOf : costOf(ctx)
    return isThenable(cost)
      ? Promise.resolve(cost).then((units) => this.#take(ctx, key, units))
      : this.#take(ctx, key, cost)
  }

  #take(ctx: Context, key: string, cost: unknown): boolean | Promise<boolean> {
    const units = checkedCost(cost)
    const grant = this.#store.take(`${this.#settings.name}:${key}`, this.#settings.quota, units)
    return grant instanceof Promise
      ? grant.then((settled) => this.#apply(ctx, settled, units))
      : this.#apply(ctx, grant, units)
  }

  #apply(ctx: Context, grant: Grant | undefined, cost: number): boolean {
    const { name, fields, quota, onStoreError, burst } = this.#settings
    if (grant === undefined) {
      if (onStoreError === 'allow') return true
      respondUnavailable(ctx, 'The request rate cannot be checked at the moment', STORE_RETRY_SECONDS)
      return false
    }
    if (fields) {
      // Each limit adds one item. Error responses keep both fields.
      ctx.responseHeaders.append('ratelimit-policy', this.#policy)
      ctx.responseHeaders.append('ratelimit', this.#limits(grant))
    }
    if (grant.allowed) return true
    // Waiting does not help a request that costs more than a burst.
    const seconds = cost > burst ? undefined : Math.max(1, wholeSeconds(waitUs(grant, quota, cost)))
    throw quotaExceeded('Too many requests', name, seconds)
  }
}

function checkedCost(cost: unknown): number {
  if (Number.isSafeInteger(cost) && Number(cost) >= 0) return Number(cost)
  throw withCode(
    'FW_INVALID_RETURN',
    new TypeError(
      `rateLimit: cost must return an integer of at least 0, got ${showValue(cost)}. Round it with Math.ceil.`,
    ),
  )
}
