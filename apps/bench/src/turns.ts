/**
 * Gives candidates that run at the same time the machine to themselves, one after the other in the order in which they
 * ask: who asks again when its turn is over comes behind all others.
 */
export class Turns {
  readonly #measure: <Result>(work: () => Promise<Result>) => Promise<Result>
  #last: Promise<void> = Promise.resolve()

  /** @param measure Carries out a turn in which something is measured, more than once if it has to */
  constructor(measure: <Result>(work: () => Promise<Result>) => Promise<Result>) {
    this.#measure = measure
  }

  /** A turn to get ready in. */
  async prepare<Result>(work: () => Promise<Result>): Promise<Result> {
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
    return this.prepare(() => this.#measure(work))
  }
}

/** For one that has nobody beside it. */
export function undividedTurns(): Turns {
  return new Turns((work) => work())
}
