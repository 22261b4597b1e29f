import type { Grant, Quota } from './gcra.ts'

/** Stores the taken units of each key. */
export interface RateLimitStore {
  /**
   * Takes the units of one request, all or none, in one atomic step.
   *
   * `rateLimit()` ignores a result that comes after `timeoutMs`. It treats an error, or a result that is not a `Grant`, as
   * `onStoreError` says.
   *
   * @param key The name of the limit, `:`, and the address of the client or the digest of its key
   * @param quota The rate and the burst. Each key has one
   * @param cost Units of the request, at least 0
   */
  take(key: string, quota: Quota, cost: number): Grant | Promise<Grant>
}
