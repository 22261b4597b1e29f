/** Minimum time between two reports of one callback. A failing callback usually fails for every event and subscriber. */
const PAUSE_MS = 1000

interface Reported {
  /** Time of the last report, measured with `performance.now()`. */
  readonly timeMs: number
  /** Number of errors since the last report. */
  unreported: number
}

const reports = new Map<string, Reported>()

/**
 * Reports an error from a callback as a process warning, so that other subscribers still receive their events.
 *
 * @param callback Description of the callback, from a fixed set
 */
export function reportThrown(callback: string, error: unknown): void {
  const timeMs = performance.now()
  const last = reports.get(callback)
  if (last !== undefined && timeMs - last.timeMs < PAUSE_MS) {
    last.unreported++
    return
  }
  reports.set(callback, { timeMs, unreported: 0 })
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const more =
    last === undefined || last.unreported === 0 ? '' : ` (and ${last.unreported} times more since the last report)`
  process.emitWarning(`${callback} threw${more}: ${text}`, 'SseWarning')
}
