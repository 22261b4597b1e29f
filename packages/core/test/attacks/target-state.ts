import type { BufferedBytes } from '../../src/index.ts'

/** State that the attacked server reports. */
export interface TargetState {
  readonly rssBytes: number
  /**
   * CPU time of event-loop turns in milliseconds, in ascending order. Other clients wait this long, independently of
   * the load of the machine.
   */
  readonly turnsMs: readonly number[]
  /** Maximum of the bytes that the server held for its clients since the last report. */
  readonly maxBufferedBytes: number
  /** The limit for these bytes; 0 for a server without one. */
  readonly bufferLimitBytes: number
}

/** Interval in milliseconds between measured turns. */
const SAMPLE_MS = 5

/**
 * Reports the port to the parent process, and the state on request. Exits with the parent.
 *
 * @param buffered Returns what the server holds for its clients
 */
export function reportToParent(port: number | undefined, buffered?: () => BufferedBytes): void {
  const turnsMs: number[] = []
  let maxBufferedBytes = 0
  const measureBuffered = (): void => void (maxBufferedBytes = Math.max(maxBufferedBytes, buffered?.().bytes ?? 0))
  setInterval(measureBuffered, 1)
  setInterval(measureTurn, SAMPLE_MS, turnsMs)
  process.send?.({ port })
  process.on('message', () => {
    turnsMs.sort((a, b) => a - b)
    measureBuffered()
    const rssBytes = process.memoryUsage.rss()
    const bufferLimitBytes = buffered?.().limitBytes ?? 0
    process.send?.({ rssBytes, turnsMs, maxBufferedBytes, bufferLimitBytes } satisfies TargetState)
    turnsMs.length = 0
    maxBufferedBytes = 0
  })
  process.once('disconnect', () => process.exit())
}

function measureTurn(turnsMs: number[]): void {
  setImmediate(() => {
    const before = process.cpuUsage()
    setImmediate(() => {
      const { user, system } = process.cpuUsage(before)
      turnsMs.push((user + system) / 1000)
    })
  })
}
