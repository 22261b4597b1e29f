/** A message from a worker to its primary. */
export interface WorkerReport {
  readonly demo: 'in flight'
  readonly inFlight: number
}

/** A message from the primary to the demo. */
export type FleetReport =
  | { readonly demo: 'listens'; readonly port: number }
  | { readonly demo: 'state'; readonly pid: number; readonly worker: number; readonly state: WorkerState }
  | { readonly demo: 'in flight of'; readonly pid: number; readonly inFlight: number }

/** The states published on `fw.worker`. */
export type WorkerState = 'starts' | 'serves' | 'drains' | 'ended'

/** Reports whether a message is a report from a worker. */
export function isWorkerReport(message: unknown): message is WorkerReport {
  return typeof message === 'object' && message !== null && 'demo' in message && message.demo === 'in flight'
}
