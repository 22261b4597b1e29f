/** Duration of a stat call that marks a disk as slow. The event loop waits for a synchronous call. */
const SLOW_MS = 1
/** Average duration above which stat calls move to the thread pool, because they would delay other requests. */
const SLOW_AVERAGE_MS = 0.2
/** Weight of a new stat call in the moving average. */
const SMOOTHING = 1 / 8
/** Minimum and maximum time during which all stat calls use the thread pool. */
const FIRST_HOLD_MS = 10
const LONGEST_HOLD_MS = 1000
/**
 * Idle time of the event loop during a pooled stat call that marks a disk as slow, because a synchronous call would block for
 * that long. A few milliseconds are not enough evidence, because threads also wait for a busy CPU.
 */
const IDLE_MS = 20

/**
 * Decides whether stat calls run on the event loop or in the thread pool. One slow call, which can be an outlier, moves the
 * next calls to the pool for 10 ms. While pooled calls remain slow, or if another synchronous call is slow, that time doubles
 * up to one second. A slow disk therefore blocks the event loop only for isolated calls.
 */
// docs/decisions/0050
export class DiskSpeed {
  #averageMs = 0
  #isHeld = false
  #holdMs = 0
  #heldUntilMs = 0
  #pending = 0
  /** Minimum idle time of the event loop during any pooled call of this hold; `undefined` before the first one ends. */
  #leastIdleMs: number | undefined = undefined

  /** Reports whether the next stat call must use the thread pool. */
  isHeld(nowMs: number): boolean {
    if (!this.#isHeld || nowMs < this.#heldUntilMs) return this.#isHeld
    // A pooled call that does not end may be waiting for a dead file server.
    const isSlow = this.#leastIdleMs === undefined ? this.#pending > 0 : this.#leastIdleMs >= IDLE_MS
    if (isSlow) this.#hold(nowMs)
    else this.#isHeld = false
    return this.#isHeld
  }

  /** Records a synchronous stat call. Both times are milliseconds of the same clock. */
  recordSync(startMs: number, endMs: number): void {
    const tookMs = endMs - startMs
    this.#averageMs += (tookMs - this.#averageMs) * SMOOTHING
    if (tookMs > SLOW_MS || this.#averageMs > SLOW_AVERAGE_MS) this.#hold(endMs)
  }

  /** Records the start of a pooled stat call. */
  begin(): void {
    this.#pending++
  }

  /** Records the end of a pooled stat call. @param idleMs Idle time of the event loop during the call */
  end(idleMs: number): void {
    this.#pending--
    this.#leastIdleMs = Math.min(idleMs, this.#leastIdleMs ?? Infinity)
  }

  #hold(nowMs: number): void {
    // Two slow calls in quick succession indicate a slow disk rather than a busy machine.
    const isRepeated = nowMs - this.#heldUntilMs <= 2 * this.#holdMs
    this.#holdMs = isRepeated ? Math.min(2 * this.#holdMs, LONGEST_HOLD_MS) : FIRST_HOLD_MS
    this.#heldUntilMs = nowMs + this.#holdMs
    this.#isHeld = true
    this.#averageMs = 0
    this.#leastIdleMs = undefined
  }
}
