import { setImmediate, setTimeout } from 'node:timers/promises'

/** Minimum number of event-loop polls for input. A request and its response need about four. */
const MIN_TURNS = 10
/** Length of one step. A stall lengthens one step, but does not shorten the others. */
const STEP_MS = 20

/**
 * Waits for `ms` milliseconds and at least ten event-loop turns.
 *
 * Servers and clients in this process have then received each other's data, even if the machine stalled. A single timer
 * could fire before any read, because timers run first in an event-loop turn.
 */
export async function settle(ms: number): Promise<void> {
  const steps = Math.max(MIN_TURNS, Math.ceil(ms / STEP_MS))
  for (let step = 0; step < steps; step++) {
    await setTimeout(ms / steps)
    await setImmediate()
  }
}
