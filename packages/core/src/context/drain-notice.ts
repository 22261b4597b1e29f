import { ChurnSet } from '../engine/churn-set.ts'

/** Who is told that the server begins to close. */
export interface DrainListener {
  /** Never throws. */
  onDrainNotice(): void
}

/** Tells once that the server begins to close. */
export class DrainNotice {
  readonly #listeners = new ChurnSet<DrainListener>()
  #isGiven = false

  /** Tells `listener` when the notice is given, at once if it has been; again is without effect. */
  add(listener: DrainListener): void {
    if (this.#isGiven) listener.onDrainNotice()
    else this.#listeners.add(listener)
  }

  delete(listener: DrainListener): void {
    this.#listeners.delete(listener)
  }

  give(): void {
    this.#isGiven = true
    this.#listeners.forEach((listener) => {
      this.#listeners.delete(listener)
      listener.onDrainNotice()
    })
  }
}
