/** Replaces the workers on request. Requests during a restart cause one more restart, however many they are. */
export class RollingRestart {
  readonly #replaceAll: () => Promise<boolean>
  #isRunning = false
  #isAskedAgain = false

  /** @param replaceAll Replaces the workers, and resolves to whether a repetition can help. Must not reject */
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
