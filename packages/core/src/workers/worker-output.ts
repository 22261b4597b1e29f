import { LineRelay } from './line-relay.ts'
import type { Relays } from './worker-process.ts'

/** Forwards the workers' output to this process's descriptors. */
export class WorkerOutput {
  readonly relays: Relays = { 1: new LineRelay(1), 2: new LineRelay(2) }

  /**
   * Calls a function that writes to the log, after the workers' forwarded output. If that output has no reader,
   * the function is never called, because a log write would block this process.
   */
  record(write: () => void): void {
    this.relays[1].whenFree(() => this.relays[2].whenFree(write))
  }

  /** Stops waiting for a reader, and drops the unwritten output. */
  giveUp(): void {
    this.relays[1].giveUp()
    this.relays[2].giveUp()
  }

  /**
   * Resolves when all workers have ended and their output has been written or dropped. Reports the number of dropped
   * lines.
   */
  async finished(): Promise<void> {
    const { 1: output, 2: errors } = this.relays
    await Promise.all([output.finished(), errors.finished()])
    const lines = output.droppedLines + errors.droppedLines
    if (lines === 0) return
    // Do not log this, because the log can write to the same blocked output.
    const text = `Dropped ${lines} lines of worker output that were not read in time`
    if (!errors.say(text)) output.say(text)
  }
}
