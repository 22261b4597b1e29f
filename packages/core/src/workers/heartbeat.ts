/** Pings within one timeout: enough that a single late response does not matter. */
const BEATS = 5

/** Returns the milliseconds between two pings. */
export function beatIntervalMs(timeoutMs: number): number {
  return timeoutMs / BEATS
}

/**
 * Detects a blocked process. Counts pings instead of time, so that time during which this process or the whole machine
 * is suspended does not count.
 */
export class Heartbeat {
  #unanswered = 0

  /**
   * Counts a ping. Call it once per interval.
   *
   * @returns Whether the process is blocked, because it answered no ping during a whole timeout
   */
  ask(): boolean {
    return this.#unanswered++ >= BEATS
  }

  answered(): void {
    this.#unanswered = 0
  }
}
