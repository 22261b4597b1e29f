// Not the global one, which tests replace by a clock of their own.
import { setImmediate } from 'node:timers'

/** Numbers the turns of the event loop, as far as anybody asks for them. */
export class Turn {
  #number = 0
  #isWatched = false

  /** The same number all through one turn, another one in the next. */
  get number(): number {
    if (!this.#isWatched) {
      this.#isWatched = true
      setImmediate(this.#next)
    }
    return this.#number
  }

  readonly #next = (): void => {
    this.#number++
    this.#isWatched = false
  }
}
