/** Gathers what comes in one turn of the event loop, so that it is passed on together. */
export class TurnBatch<T> {
  readonly #pass: (items: readonly T[]) => void
  #items: T[] = []
  #passing: NodeJS.Immediate | undefined = undefined

  constructor(pass: (items: readonly T[]) => void) {
    this.#pass = pass
  }

  add(item: T): void {
    this.#items.push(item)
    this.#passing ??= setImmediate(() => this.flush())
  }

  /** Passes on what is there, now. */
  flush(): void {
    clearImmediate(this.#passing)
    this.#passing = undefined
    const items = this.#items
    this.#items = []
    if (items.length > 0) this.#pass(items)
  }
}
