/** Runs a limited number of jobs at the same time. Others wait in order of arrival. */
export class Pool {
  readonly #max: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(max: number) {
    this.#max = max
  }

  /** Runs a job as soon as fewer than the maximum are in progress. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await job()
    } finally {
      const next = this.#waiting.shift()
      // A waiting job takes the place of the completed one.
      if (next === undefined) this.#running--
      else next()
    }
  }
}
