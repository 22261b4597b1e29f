import { ChurnSet } from '../collections/churn-set.ts'

/** An object with at most one deadline at a time. */
export interface HasDeadline {
  /** Time of the deadline, measured with `performance.now()`; `Infinity` if there is none. */
  deadlineMs: number
  /** Index in the set that `Deadlines` keeps. Only that set reads or writes it. */
  watchPlace?: number
  /** Runs once when the deadline has passed. The deadline is `Infinity` by then. */
  onDeadline(): void
}

/**
 * Checks the deadlines of all connections with one coarse timer. Setting a deadline only writes a number, and neither
 * schedules nor allocates. `onDeadline` runs up to one tick late, never early.
 *
 * Bytes that arrived before a deadline are read first, so that a blocked event loop does not time clients out. After
 * the loop was blocked, one tick is skipped, because some clients send only after the server responds again.
 */
export class Deadlines {
  readonly #watched = new ChurnSet<HasDeadline>('watchPlace')
  readonly #tickMs: number
  #timer: NodeJS.Timeout | undefined = undefined
  #tickedMs = 0
  #isSkipped = false

  constructor(tickMs = 250) {
    this.#tickMs = tickMs
  }

  /** Returns the deadline `afterMs` milliseconds from `nowMs`. 0 means no limit and returns `Infinity`. */
  in(afterMs: number, nowMs: number = performance.now()): number {
    return afterMs === 0 ? Infinity : nowMs + afterMs
  }

  watch(watched: HasDeadline): void {
    if (this.#watched.size === 0) {
      this.#timer = setInterval(() => this.#tick(), this.#tickMs)
      this.#timer.unref()
      this.#tickedMs = performance.now()
    }
    this.#watched.add(watched)
  }

  unwatch(watched: HasDeadline): void {
    this.#watched.delete(watched)
    if (this.#watched.size === 0) clearInterval(this.#timer)
  }

  #tick(): void {
    const nowMs = performance.now()
    const wasBlocked = nowMs - this.#tickedMs > 2 * this.#tickMs
    this.#tickedMs = nowMs
    // Never skip two ticks in a row, because deadlines must expire even if every turn blocks this long.
    this.#isSkipped = wasBlocked && !this.#isSkipped
    if (this.#isSkipped) return
    // In one turn of the event loop, timers run before I/O and `setImmediate` after it. QUIC delivers received bytes in an
    // immediate, so wait for a second one.
    setImmediate(() => setImmediate(this.#expire, nowMs))
  }

  readonly #expire = (nowMs: number): void => {
    this.#watched.forEach((watched) => {
      if (watched.deadlineMs > nowMs) return
      watched.deadlineMs = Infinity
      watched.onDeadline()
    })
  }
}
