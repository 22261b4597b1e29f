import { channel } from 'node:diagnostics_channel'
import { NO_SLOT, type WorkerProcess } from './worker-process.ts'

/**
 * A worker process's state. `starts`: it was started. `serves`: it serves all listeners. `drains`: it has stopped
 * accepting connections and is finishing its requests. `ended`: it has ended. A crash skips `drains`.
 */
export type WorkerState = 'starts' | 'serves' | 'drains' | 'ended'

/** Message on the channel `fw.worker`, which only the primary publishes. */
export interface WorkerTrace {
  /** The state that the worker has reached. */
  readonly state: WorkerState
  /** Process ID. */
  readonly pid: number
  /**
   * The worker's number, from 1. A replacement has the same number. `undefined` for a spare that has not replaced a
   * worker.
   */
  readonly worker: number | undefined
  /** Reason why the process has ended, such as `exited with code 0`; `undefined` in other states. */
  readonly reason: string | undefined
}

const workerChannel = channel('fw.worker')

/** Publishes the state that a worker has reached. */
export function traceWorker(state: WorkerState, { pid, slot, ending }: WorkerProcess): void {
  if (!workerChannel.hasSubscribers) return
  const worker = slot === NO_SLOT ? undefined : slot + 1
  workerChannel.publish({ state, pid, worker, reason: state === 'ended' ? ending : undefined } satisfies WorkerTrace)
}

/** Publishes, once, that a worker is draining. Has no effect if the worker has not listened yet. */
export function traceDrain(worker: WorkerProcess): void {
  if (worker.isDraining || worker.listening.size === 0) return
  worker.isDraining = true
  traceWorker('drains', worker)
}
