/** A look that took longer, in milliseconds, was one at a slow disk: the event loop waited for it. */
const SLOW_MS = 1
/** Above this average, looks on the event loop hold up others for longer than those in the thread pool cost. */
const SLOW_AVERAGE_MS = 0.2
/** Share of a new look in the moving average. */
const SMOOTHING = 1 / 8
/** For how long nothing is looked at on the event loop once it was held up: the first time, and at most. */
const FIRST_HOLD_MS = 10
const LONGEST_HOLD_MS = 1000
/**
 * While the event loop has this long nothing to do but wait for any look, one made on it would hold it up for as long. On a
 * machine short of processors a few milliseconds mean nothing: threads wait for these too.
 */
const IDLE_MS = 20

/**
 * Decides whether a file system is quick enough to be looked at on the event loop. After one slow look, which may be a
 * hiccup of the machine, the next ones are made in the thread pool for some milliseconds; for longer, up to a second, as
 * long as these take time too, or one more on the event loop did. So a disk of any slowness holds up the event loop by
 * single looks, far apart.
 */
// docs/decisions/0050
export class DiskSpeed {
  #averageMs = 0
  #isHeld = false
  #holdMs = 0
  #heldUntilMs = 0
  #pending = 0
  /** The least that the event loop waited for a look in the thread pool since the hold began; unknown without one. */
  #leastIdleMs: number | undefined = undefined

  /** Whether the next look is to be made in the thread pool. */
  isHeld(nowMs: number): boolean {
    if (!this.#isHeld || nowMs < this.#heldUntilMs) return this.#isHeld
    // What is under way and was never over may be a file server that is gone.
    const isSlow = this.#leastIdleMs === undefined ? this.#pending > 0 : this.#leastIdleMs >= IDLE_MS
    if (isSlow) this.#hold(nowMs)
    else this.#isHeld = false
    return this.#isHeld
  }

  /** Told about each look on the event loop, in milliseconds of one clock. */
  looked(startMs: number, endMs: number): void {
    const tookMs = endMs - startMs
    this.#averageMs += (tookMs - this.#averageMs) * SMOOTHING
    if (tookMs > SLOW_MS || this.#averageMs > SLOW_AVERAGE_MS) this.#hold(endMs)
  }

  /** Told that a look in the thread pool begins. */
  begin(): void {
    this.#pending++
  }

  /** Told that one is over, and for how many milliseconds the event loop had nothing to do since it began. */
  end(idleMs: number): void {
    this.#pending--
    this.#leastIdleMs = Math.min(idleMs, this.#leastIdleMs ?? Infinity)
  }

  #hold(nowMs: number): void {
    // Held up again so soon: the file system is slow, not the machine for a moment.
    const isRepeated = nowMs - this.#heldUntilMs <= 2 * this.#holdMs
    this.#holdMs = isRepeated ? Math.min(2 * this.#holdMs, LONGEST_HOLD_MS) : FIRST_HOLD_MS
    this.#heldUntilMs = nowMs + this.#holdMs
    this.#isHeld = true
    this.#averageMs = 0
    this.#leastIdleMs = undefined
  }
}
