/** The list with one more. Most lists stay at one, and an array that grew takes room for 17. */
export function withOne<T>(list: readonly T[] | undefined, item: T): readonly T[] {
  return list === undefined ? [item] : [...list, item]
}

/** Calls all of them, whichever of them throws. */
export function callAll<T>(
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
