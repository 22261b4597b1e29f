/** Who waits for its turn. */
export interface TurnTaker {
  /** Its turn has come. */
  onTurn(): void
}

/**
 * Shares of work that are done before everybody else is looked at. A share is some tens of microseconds, so that whoever
 * does not ask for one waits some milliseconds at most, whatever all others do.
 */
const SHARES_PER_TURN = 32
/** After this time a turn of the event loop has surely ended; finding out by a timer would cost more than reading the clock. */
const TURN_MS = 10

/**
 * Divides the event loop among those who have much to do, such as connections that send or take as much as the machine
 * can. Each does a share of work, asks for the next, and waits behind all others when the turn has no more shares. Those
 * who have little to do never ask.
 */
export class Turns {
  readonly #clock: { now(): number }
  #taken = 0
  #startMs = 0
  #waiting: TurnTaker[] = []

  constructor(clock: { now(): number } = performance) {
    this.#clock = clock
  }

  /** Asks for another share of work; if it is not granted, `taker.onTurn()` grants it later. */
  take(taker: TurnTaker): boolean {
    if (this.#waiting.length === 0) {
      const nowMs = this.#clock.now()
      if (nowMs - this.#startMs > TURN_MS) {
        this.#startMs = nowMs
        this.#taken = 0
      }
      if (this.#taken < SHARES_PER_TURN) {
        this.#taken++
        return true
      }
      setImmediate(() => this.#next())
    }
    this.#waiting.push(taker)
    return false
  }

  #next(): void {
    const granted = this.#waiting.splice(0, SHARES_PER_TURN)
    this.#startMs = this.#clock.now()
    this.#taken = granted.length
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
    for (const taker of granted) taker.onTurn()
  }
}

/** There is one event loop, and so one division of it. */
export const turns: Turns = new Turns()
