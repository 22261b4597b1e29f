/** Something that must happen by a certain time. */
export interface Watched {
  /** When, on the clock of `Deadlines`; `Infinity` for never. */
  deadlineMs: number
  onDeadline(): void
}

/**
 * One coarse timer for all connections. Setting a deadline is writing a number; nothing is scheduled and nothing is
 * allocated. Deadlines are met up to a tick late, never early, and after what has come until then was read: a handler
 * that held up the event loop, or a machine that stood still, is not the fault of clients.
 */
export class Deadlines {
  readonly #watched = new Set<Watched>()
  readonly #tickMs: number
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(tickMs = 250) {
    this.#tickMs = tickMs
  }

  /** When `afterMs` from now will be; `Infinity` for 0, which means no limit. */
  in(afterMs: number, nowMs: number = performance.now()): number {
    return afterMs === 0 ? Infinity : nowMs + afterMs
  }

  watch(watched: Watched): void {
    if (this.#watched.size === 0) {
      this.#timer = setInterval(() => this.#tick(), this.#tickMs)
      this.#timer.unref()
    }
    this.#watched.add(watched)
  }

  unwatch(watched: Watched): void {
    this.#watched.delete(watched)
    if (this.#watched.size === 0) clearInterval(this.#timer)
  }

  #tick(): void {
    // Timers come before I/O in a turn of the event loop, immediates behind it. There, QUIC passes on what was received:
    // another turn is for that.
    const nowMs = performance.now()
    setImmediate(() => setImmediate(this.#meet, nowMs))
  }

  readonly #meet = (now: number): void => {
    for (const watched of this.#watched) {
      if (watched.deadlineMs > now) continue
      watched.deadlineMs = Infinity
      watched.onDeadline()
    }
  }
}
