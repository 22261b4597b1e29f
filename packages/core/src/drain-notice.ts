/** Tells once that the server begins to close. */
export class DrainNotice {
  readonly #listeners = new Set<() => void>()
  #isGiven = false

  /**
   * Calls `listener` when the notice is given, at once if it has been.
   *
   * @param listener Never throws
   * @returns Takes the listener back
   */
  listen(listener: () => void): () => void {
    if (this.#isGiven) {
      listener()
      return () => {}
    }
    // A wrapper, so that the same function given twice is two listeners.
    const entry = (): void => listener()
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  give(): void {
    this.#isGiven = true
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }
}
