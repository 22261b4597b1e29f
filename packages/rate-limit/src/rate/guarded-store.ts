import { withCode } from '@fw/options'
import type { Grant, Quota } from './gcra.ts'
import type { RateLimitStore } from './store.ts'

/**
 * A store whose failures are reported once and take at most `timeoutMs`. After a failure, one request at a time tries the
 * store, so that the others do not wait for it.
 */
export class GuardedStore {
  readonly #store: RateLimitStore
  readonly #timeoutMs: number
  readonly #onError: (error: unknown) => void
  #isFailing = false
  #isTrying = false

  constructor(store: RateLimitStore, timeoutMs: number, onError: ((error: unknown) => void) | undefined) {
    this.#store = store
    this.#timeoutMs = timeoutMs
    this.#onError = onError ?? warn
  }

  /** Takes units like a store. @returns `undefined` if the store fails */
  take(key: string, quota: Quota, cost: number): Grant | undefined | Promise<Grant | undefined> {
    if (this.#isFailing) {
      if (this.#isTrying) return undefined
      this.#isTrying = true
    }
    try {
      const grant = this.#store.take(key, quota, cost)
      if (grant instanceof Promise) return this.#settled(grant)
      this.#worked()
      return grant
    } catch (error) {
      return this.#failed(error)
    }
  }

  async #settled(pending: Promise<Grant>): Promise<Grant | undefined> {
    const tooLate = Promise.withResolvers<never>()
    // Timers run before I/O. After a suspension of the process, the reply may have arrived but not been read.
    const timer = setTimeout(() => setImmediate(() => tooLate.reject(this.#lateError())), this.#timeoutMs)
    try {
      const grant = await Promise.race([pending, tooLate.promise])
      this.#worked()
      return grant
    } catch (error) {
      return this.#failed(error)
    } finally {
      clearTimeout(timer)
    }
  }

  #worked(): void {
    this.#isFailing = false
    this.#isTrying = false
  }

  #failed(error: unknown): undefined {
    const isNew = !this.#isFailing
    this.#isFailing = true
    this.#isTrying = false
    if (isNew) this.#report(error)
  }

  #report(error: unknown): void {
    try {
      this.#onError(error)
    } catch (thrown) {
      // A request must not fail because its report fails.
      warn(thrown)
    }
  }

  #lateError(): Error {
    const message = `rateLimit: the store did not respond within ${this.#timeoutMs} ms. Check it, or raise timeoutMs.`
    return withCode('FW_STORE_TIMEOUT', new Error(message))
  }
}

function warn(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.emitWarning(`The store of rateLimit() failed: ${text}`, 'RateLimitWarning')
}
