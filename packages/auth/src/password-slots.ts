import { HttpError, withCode } from '@fw/options'

/** Number of hashes that are computed at the same time, which leaves half of the thread pool to files and DNS. */
const SLOTS = 2

/** Limits the hashes that are computed at the same time. Other calls wait in the order of their arrival. */
export class PasswordSlots {
  #free = SLOTS
  readonly #waiting: (() => void)[] = []

  /**
   * Waits for a slot, which is free again once the result is disposed of.
   *
   * @param maxWaiting Maximum number of calls that wait
   * @throws {HttpError} 503 if `maxWaiting` calls are already waiting
   */
  async take(maxWaiting: number): Promise<Disposable> {
    if (this.#free > 0) this.#free--
    else if (this.#waiting.length >= maxWaiting) throw tooManyPasswords()
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return { [Symbol.dispose]: () => this.#release() }
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

function tooManyPasswords(): HttpError {
  return withCode(
    'FW_TOO_MANY_PASSWORDS',
    new HttpError(503, 'Too many passwords are waiting to be hashed', { 'retry-after': '1' }),
  )
}
