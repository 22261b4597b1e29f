import { ChurnSet } from '../engine/collections/churn-set.ts'

/** The list with one more. Most lists stay at one, and an array that grew takes room for 17. */
export function withAdded<T>(list: readonly T[] | undefined, item: T): readonly T[] {
  return list === undefined ? [item] : [...list, item]
}

/** Calls all of them, whichever of them throws. */
export function notifyAll<T>(
  listeners: readonly ((event: T) => void)[] | undefined,
  event: T,
  onThrown: (error: unknown) => void,
): void {
  if (listeners === undefined) return
  for (const listener of listeners) {
    try {
      listener(event)
    } catch (error) {
      onThrown(error)
    }
  }
}

/** Who is told that the server begins to close. */
interface DrainListener {
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
