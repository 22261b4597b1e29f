import type { Grant, Quota } from './gcra.ts'

/** Stores the taken units of each key. */
export interface RateLimitStore {
  /**
   * Takes the units of one request, all or none, in one atomic step.
   *
   * `rateLimit()` ignores a result that comes after `timeoutMs`, and treats an error as `onStoreError` says.
   *
   * @param key The name of the limit, `:`, and the key of the client
   * @param quota The rate and the burst. Each key has one
   * @param cost Units of the request, at least 0
   */
  take(key: string, quota: Quota, cost: number): Grant | Promise<Grant>
}
