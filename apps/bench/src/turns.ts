/**
 * Gives candidates that run at the same time the machine to themselves, one after the other in the order in which they
 * ask: who asks again when its turn is over comes behind all others.
 */
export class Turns {
  readonly #carryOut: <Result>(work: () => Promise<Result>) => Promise<Result>
  #last: Promise<void> = Promise.resolve()

  /** @param carryOut Does what is measured in a turn, more than once if it has to */
  constructor(carryOut: <Result>(work: () => Promise<Result>) => Promise<Result>) {
    this.#carryOut = carryOut
  }

  /** A turn in which nothing is measured. */
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

  /** A turn that is taken again if it was disturbed. */
  measure<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.take(() => this.#carryOut(work))
  }
}

/** For one that has nobody beside it. */
export function undividedTurns(): Turns {
  return new Turns((work) => work())
}
