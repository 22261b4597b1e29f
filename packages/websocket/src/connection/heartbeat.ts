/** Ticks per period. A ping is at most one tick late. */
const TICKS = 4

/** A connection with heartbeats. */
export interface HeartbeatTarget {
  /** Ticks since the last byte from the client. Set it to 0 for each read. */
  silentTicks: number
  /** Whether the server does not read, so that silence says nothing about the client. */
  readonly isHolding: boolean
  ping(): void
  /** Ends a connection whose client has not responded to a ping. */
  onDead(): void
}

/**
 * Pings clients that have been silent for one period, and ends connections that are silent for another one.
 *
 * All connections with the same period share one timer, which does not keep the process alive.
 */
export class Heartbeats {
  readonly #periodMs: number
  readonly #targets = new Set<HeartbeatTarget>()
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  /** Returns the heartbeats with that period. */
  static of(periodMs: number): Heartbeats {
    let heartbeats = byPeriod.get(periodMs)
    if (heartbeats === undefined) byPeriod.set(periodMs, (heartbeats = new Heartbeats(periodMs)))
    return heartbeats
  }

  add(target: HeartbeatTarget): void {
    target.silentTicks = 0
    this.#targets.add(target)
    this.#timer ??= setInterval(() => this.#tick(), this.#periodMs / TICKS).unref()
  }

  /** Stops a connection's heartbeats. Further calls have no effect. */
  remove(target: HeartbeatTarget): void {
    this.#targets.delete(target)
    if (this.#targets.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    for (const target of this.#targets) {
      if (target.isHolding) target.silentTicks = 0
      else if (++target.silentTicks === TICKS) target.ping()
      else if (target.silentTicks >= 2 * TICKS) target.onDead()
    }
  }
}

const byPeriod = new Map<number, Heartbeats>()
