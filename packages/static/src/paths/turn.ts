import { performance } from 'node:perf_hooks'

const { nodeTiming } = performance

/** Returns the number of the current event-loop turn. A turn begins when the loop polls for events. */
export function currentTurn(): number {
  return nodeTiming.uvMetricsInfo.loopCount
}

/** Maximum total time of synchronous stat calls per event-loop turn. A delay of 5 ms is not noticeable. */
const MAX_MS = 5

/** Limits the total duration of the synchronous stat calls of all mounts per event-loop turn. */
export class TurnBudget {
  readonly #turnOf: () => number
  #turn = 0
  #spentMs = 0

  constructor(turnOf: () => number = currentTurn) {
    this.#turnOf = turnOf
  }

  /** Reports whether the calls in this turn have used the whole budget. */
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
