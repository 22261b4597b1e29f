/** Replaces the workers on request. Any number of requests during a restart cause one more restart. */
export class RollingRestart {
  readonly #replaceAll: () => Promise<string | undefined>
  #current: Promise<string | undefined> | undefined = undefined
  /** Restart that follows the current one. */
  #next: Promise<string | undefined> | undefined = undefined

  /**
   * @param replaceAll Replaces the workers. Resolves to the reason if it could not replace all of them. Must not reject
   */
  constructor(replaceAll: () => Promise<string | undefined>) {
    this.#replaceAll = replaceAll
  }

  /**
   * Requests a restart that begins now, or after the current one.
   *
   * @returns The reason why that restart did not replace all workers
   */
  ask(): Promise<string | undefined> {
    if (this.#current === undefined) return (this.#current = this.#run())
    return (this.#next ??= this.#current.then(() => this.#follow()))
  }

  #follow(): Promise<string | undefined> {
    this.#next = undefined
    return (this.#current = this.#run())
  }

  async #run(): Promise<string | undefined> {
    const failure = await this.#replaceAll()
    if (this.#next === undefined) this.#current = undefined
    return failure
  }
}
