import { ChurnSet } from '../collections/churn-set.ts'

/** Something that must happen by a certain time. */
export interface HasDeadline {
  /** When, on the clock of `Deadlines`; `Infinity` for never. */
  deadlineMs: number
  /** Where `Deadlines` has it; nobody else's concern. */
  watchPlace?: number
  onDeadline(): void
}

/**
 * One coarse timer for all connections. Setting a deadline is writing a number; nothing is scheduled and nothing is
 * allocated. Deadlines are met up to a tick late, never early, and after what has come until then was read: a handler
 * that held up the event loop, or a machine that stood still, is not the fault of clients. Behind such a time they are
 * met another tick later, for what clients send only when they hear of the server again.
 */
export class Deadlines {
  readonly #watched = new ChurnSet<HasDeadline>('watchPlace')
  readonly #tickMs: number
  #timer: NodeJS.Timeout | undefined = undefined
  #tickedMs = 0
  #isPassedOver = false

  constructor(tickMs = 250) {
    this.#tickMs = tickMs
  }

  /** When `afterMs` from now will be; `Infinity` for 0, which means no limit. */
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
    const stoodStill = nowMs - this.#tickedMs > 2 * this.#tickMs
    this.#tickedMs = nowMs
    // Never two in a row: where every turn takes so long, deadlines are met all the same.
    this.#isPassedOver = stoodStill && !this.#isPassedOver
    if (this.#isPassedOver) return
    // Timers come before I/O in a turn of the event loop, immediates behind it. There, QUIC passes on what was received:
    // another turn is for that.
    setImmediate(() => setImmediate(this.#meet, nowMs))
  }

  readonly #meet = (now: number): void => {
    this.#watched.forEach((watched) => {
      if (watched.deadlineMs > now) return
      watched.deadlineMs = Infinity
      watched.onDeadline()
    })
  }
}
