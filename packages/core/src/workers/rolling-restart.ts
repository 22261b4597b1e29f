/** Replaces the workers when asked to, and once more if that was asked for meanwhile, however often. */
export class RollingRestart {
  readonly #replaceAll: () => Promise<boolean>
  #isRunning = false
  #isAskedAgain = false

  /** @param replaceAll Resolves to whether there is any use in going on; never rejects */
  constructor(replaceAll: () => Promise<boolean>) {
    this.#replaceAll = replaceAll
  }

  ask(): void {
    if (this.#isRunning) this.#isAskedAgain = true
    else void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    do {
      this.#isAskedAgain = false
    } while ((await this.#replaceAll()) && this.#isAskedAgain)
    this.#isRunning = false
  }
}
