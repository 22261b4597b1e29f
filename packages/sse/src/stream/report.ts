/** Between two reports of one callback: what throws once mostly throws for every event and subscriber. */
const PAUSE_MS = 1000

interface Reported {
  /** As of `performance.now()`. */
  readonly timeMs: number
  /** How often the callback has thrown since then. */
  unreported: number
}

const reports = new Map<string, Reported>()

/**
 * Reports what a callback of the application threw, as a process warning: the events of others must not suffer from it.
 *
 * @param callback What threw, in words; one of a fixed number
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
