import type { Grant, Quota } from './gcra.ts'

/** Stores the taken units of each key. */
export interface RateLimitStore {
  /**
   * Takes all units of one request, or none of them, in one atomic step.
   *
   * `rateLimit()` ignores a result that arrives after `timeoutMs`. It handles errors and results other than a `Grant` according
   * to `onStoreError`.
   *
   * @param key The name of the limit, `:`, and the client address or the digest of the client's key
   * @param quota The rate and the burst, which are always the same for a key
   * @param cost The units that the request needs, at least 0
   */
  take(key: string, quota: Quota, cost: number): Grant | Promise<Grant>
}
