import { showValue, withCode } from '@fw/options'
import { isThenable } from '../thenable.ts'
import type { Grant, Quota } from './gcra.ts'
import type { RateLimitStore } from './store.ts'

/**
 * Wraps a store: reports failures once, and limits each call to `timeoutMs`. After a failure, only one request at a time tries
 * the store, so that the others do not wait for it.
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

  /** Takes units like the wrapped store. @returns `undefined` if the store fails */
  take(key: string, quota: Quota, cost: number): Grant | undefined | Promise<Grant | undefined> {
    if (this.#isFailing) {
      if (this.#isTrying) return undefined
      this.#isTrying = true
    }
    try {
      const grant = this.#store.take(key, quota, cost)
      if (isThenable(grant)) return this.#settled(grant)
      requireGrant(grant)
      this.#worked()
      return grant
    } catch (error) {
      return this.#failed(error)
    }
  }

  async #settled(pending: PromiseLike<Grant>): Promise<Grant | undefined> {
    const tooLate = Promise.withResolvers<never>()
    // Timers run before I/O. After a suspension of the process, the reply may have arrived but not been read.
    const timer = setTimeout(() => setImmediate(() => tooLate.reject(this.#lateError())), this.#timeoutMs)
    try {
      const grant = await Promise.race([pending, tooLate.promise])
      requireGrant(grant)
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
      // A failure to report a failure must not fail the request.
      warn(thrown)
    }
  }

  #lateError(): Error {
    const message = `rateLimit: the store did not respond within ${this.#timeoutMs} ms. Check it, or raise timeoutMs.`
    return withCode('FW_STORE_TIMEOUT', new Error(message))
  }
}

/**
 * Checks the result of a store. Without the check, fields could contain `NaN`, and a store that returns `true` would refuse
 * every request.
 *
 * @throws {TypeError} if the result is not a `Grant`
 */
function requireGrant(grant: unknown): asserts grant is Grant {
  const { allowed, backlogUs }: { allowed?: unknown; backlogUs?: unknown } = Object(grant)
  if (typeof allowed === 'boolean' && Number.isFinite(backlogUs) && Number(backlogUs) >= 0) return
  const isObject = typeof grant === 'object' && grant !== null
  const got = isObject ? `{ allowed: ${showValue(allowed)}, backlogUs: ${showValue(backlogUs)} }` : showValue(grant)
  const message = `rateLimit: take() of the store must return { allowed, backlogUs }, got ${got}.`
  const fix = 'Return a boolean and a finite number of at least 0.'
  throw withCode('FW_INVALID_RETURN', new TypeError(`${message} ${fix}`))
}

function warn(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.emitWarning(`The store of rateLimit() failed: ${text}`, 'RateLimitWarning')
}
