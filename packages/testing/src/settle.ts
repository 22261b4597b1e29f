import { setImmediate, setTimeout } from 'node:timers/promises'

/** How often the event loop looks for input at least: a request and its response take some four turns. */
const LEAST_TURNS = 10
/** Milliseconds of a step: a machine that stands still for long makes one of them long, and no other shorter. */
const STEP_MS = 20

/**
 * Waits so many milliseconds, and ten turns of the event loop at least.
 *
 * By then what servers and clients of this process have sent each other has arrived, also on a machine that stood still
 * meanwhile. A single timer would then be over before anything was read, as timers come first in a turn.
 */
export async function settle(ms: number): Promise<void> {
  const steps = Math.max(LEAST_TURNS, Math.ceil(ms / STEP_MS))
  for (let step = 0; step < steps; step++) {
    await setTimeout(ms / steps)
    await setImmediate()
  }
}
