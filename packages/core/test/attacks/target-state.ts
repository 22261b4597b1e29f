/** State that the attacked server reports. */
export interface TargetState {
  readonly rssBytes: number
  /**
   * CPU time of event-loop turns in milliseconds, in ascending order. Other clients wait this long, independently of
   * the load of the machine.
   */
  readonly turnsMs: readonly number[]
}

/** Interval in milliseconds between measured turns. */
const SAMPLE_MS = 5

/** Reports the port to the parent process, and the state on request. Exits with the parent. */
export function reportToParent(port: number | undefined): void {
  const turnsMs: number[] = []
  setInterval(measureTurn, SAMPLE_MS, turnsMs)
  process.send?.({ port })
  process.on('message', () => {
    turnsMs.sort((a, b) => a - b)
    process.send?.({ rssBytes: process.memoryUsage.rss(), turnsMs } satisfies TargetState)
    turnsMs.length = 0
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
