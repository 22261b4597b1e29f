import { ChurnSet } from '../engine/collections/churn-set.ts'

/** Returns a new list with `item` added. Most lists have one item, but V8 reserves 17 slots when an array grows. */
export function withAdded<T>(list: readonly T[] | undefined, item: T): readonly T[] {
  return list === undefined ? [item] : [...list, item]
}

/** Calls every listener, and `onThrown` with each error that one throws. */
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

/** Called when the server starts to close. */
interface DrainListener {
  /** Never throws. */
  onDrainNotice(): void
}

/** Notifies listeners, once, that the server is starting to close. */
export class DrainNotice {
  readonly #listeners = new ChurnSet<DrainListener>()
  #isGiven = false

  /**
   * Notifies `listener` once: on `give`, or immediately if `give` has already been called. Adding it again before that
   * has no effect.
   */
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
