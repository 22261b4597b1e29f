import { performance } from 'node:perf_hooks'
import { runOutsideRequests } from './outside-requests.ts'

/** Who waits for its turn. */
export interface TurnTaker {
  /** Its turn has come. */
  onTurn(): void
}

/**
 * Shares of work that are done in one turn of the event loop. A share is some tens of microseconds, so that whoever does
 * not ask for one waits some milliseconds at most, whatever all others do.
 */
const SHARES_PER_TURN = 8
/** The same while connections come in: libuv accepts one in each turn, so that a queue of them waits for as many turns. */
const SHARES_WHILE_ACCEPTING = 1

/**
 * Divides the event loop among those who have much to do, such as connections that send or take as much as the machine
 * can. Each does a share of work, asks for the next, and waits behind all others when the turn has no more shares. Those
 * who have little to do never ask.
 */
// docs/decisions/0006
export class Turns {
  readonly #currentTurn: () => number
  #turn = -1
  #taken = 0
  /** Whether connections have come in since somebody asked for a share. */
  #hasAccepted = false
  /** Until which turn turns are kept short. */
  #shortUntil = -1
  #waiting: TurnTaker[] = []

  /** @param currentTurn Number of the turn that the event loop is in */
  constructor(currentTurn: () => number = loopCount) {
    this.#currentTurn = currentTurn
  }

  /** Keeps turns short for a while, as others may wait to be accepted. */
  onAccepted(): void {
    // The turn is looked up for those who have much to do only: it takes longer than all else that is done here.
    this.#hasAccepted = true
  }

  /** Asks for another share of work; if it is not granted, `taker.onTurn()` grants it later. */
  take(taker: TurnTaker): boolean {
    if (this.#waiting.length === 0) {
      const turn = this.#currentTurn()
      if (turn !== this.#turn) {
        this.#turn = turn
        this.#taken = 0
      }
      if (this.#taken < this.#sharesIn(turn)) {
        this.#taken++
        return true
      }
      setImmediate(() => this.#next())
    }
    this.#waiting.push(taker)
    return false
  }

  #next(): void {
    const granted = this.#waiting.splice(0, this.#sharesIn(this.#currentTurn()))
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
    // One by one, as each may enter a context of its own.
    for (const taker of granted) runOutsideRequests(grant, taker)
  }

  #sharesIn(turn: number): number {
    if (this.#hasAccepted) {
      this.#hasAccepted = false
      this.#shortUntil = turn + 1
    }
    return turn <= this.#shortUntil ? SHARES_WHILE_ACCEPTING : SHARES_PER_TURN
  }
}

function grant(taker: TurnTaker): void {
  taker.onTurn()
}

function loopCount(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount
}

/** There is one event loop, and so one division of it. */
export const turns: Turns = new Turns()
