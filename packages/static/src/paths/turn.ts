import { performance } from 'node:perf_hooks'

const { nodeTiming } = performance

/**
 * A number that is the same all through one turn of the event loop, and another one in the next. A turn begins when the
 * loop asks the system what has come in.
 */
export function currentTurn(): number {
  return nodeTiming.uvMetricsInfo.loopCount
}

/** What looks may take of one turn of the event loop, in milliseconds: less than anybody notices. */
const MAX_MS = 5

/** Bounds what all looks in one turn of the event loop take together, be they of several mounts. */
export class TurnBudget {
  readonly #turnOf: () => number
  #turn = 0
  #spentMs = 0

  constructor(turnOf: () => number = currentTurn) {
    this.#turnOf = turnOf
  }

  /** Whether nothing of this turn is left. */
  isSpent(): boolean {
    return this.#spentMs >= MAX_MS && this.#turn === this.#turnOf()
  }

  spend(ms: number): void {
    const turn = this.#turnOf()
    if (turn === this.#turn) this.#spentMs += ms
    else {
      this.#turn = turn
      this.#spentMs = ms
    }
  }
}
