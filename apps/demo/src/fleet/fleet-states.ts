import type { ProcessState } from '../live/messages.ts'
import type { WorkerState } from './fleet-reports.ts'

interface Process {
  readonly worker: number
  state: WorkerState
  inFlight: number
}

/** Processes in the fleet, by position. A position has two processes while one is replacing the other. */
export class FleetStates {
  readonly #processes = new Map<number, Process>()
  /** Number of processes replaced since the restart began; `undefined` if no restart is in progress. */
  #replaced: number | undefined = undefined
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  /** The number of replaced processes during a restart, otherwise `undefined`. */
  get replaced(): number | undefined {
    return this.#replaced
  }

  /** One state per position. A draining process takes precedence over its successor. */
  get places(): readonly ProcessState[] {
    return Array.from({ length: this.#count }, (_, place) => {
      const all = [...this.#processes].filter(([, { worker }]) => worker === place + 1)
      const [pid = 0, process] =
        all.find(([, { state }]) => state === 'drains') ??
        all.find(([, { state }]) => state === 'starts') ??
        all.at(-1) ??
        []
      const state = process?.state
      return {
        pid,
        state: state === 'drains' || state === 'serves' ? state : 'starts',
        inFlight: process?.inFlight ?? 0,
      }
    })
  }

  beginRestart(): void {
    this.#replaced = 0
  }

  change(pid: number, worker: number, state: WorkerState): void {
    if (state === 'ended') {
      const isReplaced = this.#processes.get(pid)?.state === 'drains'
      this.#processes.delete(pid)
      if (!isReplaced || this.#replaced === undefined) return
      this.#replaced = this.#replaced + 1 === this.#count ? undefined : this.#replaced + 1
      return
    }
    this.#processes.set(pid, { worker, state, inFlight: this.#processes.get(pid)?.inFlight ?? 0 })
  }

  setInFlight(pid: number, inFlight: number): void {
    const process = this.#processes.get(pid)
    if (process !== undefined) process.inFlight = inFlight
  }
}
