/** Number of pings within one timeout. With this many, a single late response does not matter. */
const BEATS = 5

/** Returns the milliseconds between two pings. */
export function beatIntervalMs(timeoutMs: number): number {
  return timeoutMs / BEATS
}

/**
 * Detects a blocked process. Counts pings instead of time, because this process or the whole machine can be suspended.
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
