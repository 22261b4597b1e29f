/**
 * Serializes the work of concurrent candidates. Turns run one at a time in call order, so a candidate that calls again after
 * its turn waits for all others.
 */
export class Turns {
  readonly #carryOut: <Result>(work: () => Promise<Result>) => Promise<Result>
  #last: Promise<void> = Promise.resolve()

  /** @param carryOut Runs a measured turn, possibly more than once */
  constructor(carryOut: <Result>(work: () => Promise<Result>) => Promise<Result>) {
    this.#carryOut = carryOut
  }

  /** Runs `work` in a turn without a measurement. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last
    const own = Promise.withResolvers<void>()
    this.#last = own.promise
    await before
    try {
      return await work()
    } finally {
      own.resolve()
    }
  }

  /** Runs `work` in a measured turn, which `carryOut` can repeat. */
  measure<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.take(() => this.#carryOut(work))
  }
}

/** Returns turns that never repeat a measurement. */
export function plainTurns(): Turns {
  return new Turns((work) => work())
}
