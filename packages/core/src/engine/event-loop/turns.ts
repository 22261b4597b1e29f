import { performance } from 'node:perf_hooks'
import { runOutsideRequests } from './outside-requests.ts'

/** A task that waits for its next share of work. */
export interface TurnTaker {
  /** Continues the work, because a share has been granted. */
  onTurn(): void
}

/**
 * Shares of work per event-loop turn. A share takes tens of microseconds, so a connection with little work waits at
 * most a few milliseconds for the busy ones.
 */
const SHARES_PER_TURN = 8
/**
 * Shares per turn while clients connect. libuv accepts one connection per turn, so short turns empty its queue sooner.
 */
const SHARES_WHILE_ACCEPTING = 1

/**
 * Divides the event loop among busy connections, such as large transfers. A connection does one share of work and then
 * takes the next one. When the turn has no shares left, the connection waits behind the others. Connections with little
 * work never take a share.
 */
// docs/decisions/0006
export class Turns {
  readonly #currentTurn: () => number
  #turn = -1
  #taken = 0
  /** Whether a connection was accepted since the last request for a share. */
  #hasAccepted = false
  /** Number of the last short turn. */
  #shortUntil = -1
  #waiting: TurnTaker[] = []

  /** @param currentTurn Returns the number of the current event-loop turn */
  constructor(currentTurn: () => number = loopCount) {
    this.#currentTurn = currentTurn
  }

  /** Shortens the current turn and the next one, because more connections can wait in the accept queue. */
  onAccepted(): void {
    // `take` reads the turn number, because reading it for every connection would cost too much.
    this.#hasAccepted = true
  }

  /** Requests another share of work. Returns false if the turn has none left; `taker.onTurn()` then runs later. */
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
    // Make a separate call for each taker, because each can enter its own asynchronous context.
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

/** The shares for this thread, which has one event loop. */
export const turns: Turns = new Turns()
