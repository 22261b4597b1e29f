import { LineRelay } from './line-relay.ts'
import type { Relays } from './worker-process.ts'

/** What the workers write, on its way to the descriptors of this process. */
export class WorkerOutput {
  readonly relays: Relays = { 1: new LineRelay(1), 2: new LineRelay(2) }

  /**
   * Calls what writes to the log, after what the workers have written: where nobody reads that, the log would have this
   * process wait for ever.
   */
  record(write: () => void): void {
    this.relays[1].whenFree(() => this.relays[2].whenFree(write))
  }

  /** Waits for no reader any more. */
  giveUp(): void {
    this.relays[1].giveUp()
    this.relays[2].giveUp()
  }

  /** Resolves when all workers have ended and what they wrote is written, or dropped, which is told of. */
  async finished(): Promise<void> {
    const { 1: output, 2: errors } = this.relays
    await Promise.all([output.finished(), errors.finished()])
    const lines = output.droppedLines + errors.droppedLines
    if (lines === 0) return
    // Not by the log: that may write where nobody reads.
    const text = `${lines} lines that the workers wrote were dropped: nobody read them in time`
    if (!errors.say(text)) output.say(text)
  }
}
