/** What a server that is attacked tells of itself. */
export interface TargetState {
  readonly rssBytes: number
  /**
   * Processor time of the event loop's turns in milliseconds, in ascending order: what others wait for whatever else the
   * machine does.
   */
  readonly turnsMs: readonly number[]
}

/** Between two turns that are measured. */
const SAMPLE_MS = 5

/** Tells the parent process the port, and the state whenever it asks; ends with it. */
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
