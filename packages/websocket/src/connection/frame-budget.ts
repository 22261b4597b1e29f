/** Seconds of the sustained rate that a client can use at the same time. */
const BURST_SECONDS = 5
/** Each control frame causes work that no message limit covers: a ping causes a pong. */
const CONTROL_COST = 10

/** Limits the frames of one client with a token bucket. */
export class FrameBudget {
  readonly #perSecond: number
  readonly #now: () => number
  #tokens: number
  #refilledMs: number

  /**
   * @param perSecond Frames per second that the client can send on average; 0 disables the limit
   * @param now Returns a monotonic time in milliseconds
   */
  constructor(perSecond: number, now: () => number = monotonicMs) {
    this.#perSecond = perSecond
    this.#now = now
    this.#tokens = perSecond * BURST_SECONDS
    this.#refilledMs = now()
  }

  /** Takes the cost of one frame. Returns false if the client has sent too many frames. */
  spend(isControl: boolean): boolean {
    if (this.#perSecond === 0) return true
    const cost = isControl ? CONTROL_COST : 1
    // Most frames do not need the clock.
    if (this.#tokens < cost) this.#refill()
    this.#tokens -= cost
    return this.#tokens >= 0
  }

  #refill(): void {
    const nowMs = this.#now()
    const earned = ((nowMs - this.#refilledMs) / 1000) * this.#perSecond
    this.#tokens = Math.min(this.#tokens + earned, this.#perSecond * BURST_SECONDS)
    this.#refilledMs = nowMs
  }
}

function monotonicMs(): number {
  return performance.now()
}
