/** Questions asked within one timeout: enough that one which is late does not matter. */
const BEATS = 5

/** The time between two questions. */
export function beatIntervalMs(timeoutMs: number): number {
  return timeoutMs / BEATS
}

/**
 * Whether a process still answers. Counts questions instead of time: if this process was the one that stood still, or
 * all of them did, no time is held against the other.
 */
export class Heartbeat {
  #unanswered = 0

  /** Called once in each interval. @returns Whether the process has left so many questions open that it hangs */
  ask(): boolean {
    return this.#unanswered++ >= BEATS
  }

  answered(): void {
    this.#unanswered = 0
  }
}
