import { checkOptions, type OptionKinds, text } from '@fw/options'
import type { Grant, Quota } from '../rate/gcra.ts'
import type { RateLimitStore } from '../rate/store.ts'
import { type RedisClient, RedisConnection, requireClient } from './connection.ts'
import { grantOf, isMissingScript, takeCommand } from './script.ts'

/** Options of `redisRateLimits()`. */
export interface RedisRateLimitsOptions {
  /** Text before each key. Applications that share a Redis server need different prefixes. Default: `'fw:rate-limit:'`. */
  readonly prefix?: string
}

const KINDS: OptionKinds<RedisRateLimitsOptions> = { prefix: text }

/** A store in Redis. */
export interface RedisRateLimits extends RateLimitStore, Disposable {
  /** Takes the units of one request in a single command. @throws if Redis cannot be reached */
  take(key: string, quota: Quota, cost: number): Promise<Grant>
  /** Closes the connection. The next request opens a new one. */
  close(): void
}

/**
 * Creates a store in Redis, which several processes share. Each request needs one round trip.
 *
 * The store opens its own connection for the first request, and replaces it after a failure. A key expires when its units have
 * returned.
 *
 * @param client Client from the `redis` package whose options are copied. The client itself is not used
 * @throws {TypeError} if `client` is not a Redis client, or an option is invalid
 *
 * @example
 * const store = redisRateLimits(createClient({ url: 'redis://localhost' }))
 * router.use(rateLimit({ limit: 100, store }))
 */
export function redisRateLimits(client: RedisClient, options: RedisRateLimitsOptions = {}): RedisRateLimits {
  requireClient(client)
  checkOptions('redisRateLimits', options, KINDS, { keyPrefix: 'prefix' })
  const { prefix = 'fw:rate-limit:' } = options
  const connection = new RedisConnection(client)
  const close = (): void => connection.drop()
  return {
    async take(key, quota, cost) {
      // A Redis cluster distributes keys by the part in braces.
      const name = `${prefix}{${key}}`
      try {
        return grantOf(await connection.call(takeCommand(name, quota, cost, false)))
      } catch (error) {
        if (!isMissingScript(error)) throw error
        return grantOf(await connection.call(takeCommand(name, quota, cost, true)))
      }
    },
    close,
    [Symbol.dispose]: close,
  }
}
