/** Ticks per period. A heartbeat is at most one tick early and never late. */
const TICKS = 8

/**
 * Called after a silent period. The wheel stores the target itself without allocating an entry, because each open stream has a
 * target and each broadcast reschedules all of them.
 */
export interface HeartbeatTarget {
  /** Tick of the last write. Set it to the wheel's `tick` at each write. */
  beatTick: number
  /** Slot in the wheel. Only the wheel uses it. */
  beatSlot: Set<HeartbeatTarget> | undefined
  beat(): void
}

/**
 * Calls `silent.beat()` after every `periodMs` milliseconds without a write.
 *
 * All heartbeats with the same period share one timer, which does not keep the process alive.
 *
 * @returns The wheel for that period, with the current tick and `remove`
 */
export function startHeartbeat(periodMs: number, silent: HeartbeatTarget): HeartbeatWheel {
  let wheel = wheels.get(periodMs)
  if (wheel === undefined) wheels.set(periodMs, (wheel = new HeartbeatWheel(periodMs)))
  wheel.add(silent)
  return wheel
}

const wheels = new Map<number, HeartbeatWheel>()

/** Stores the targets for one period under the tick of their next check. */
export class HeartbeatWheel {
  tick = 0
  readonly #periodMs: number
  readonly #timer: NodeJS.Timeout
  readonly #slots = new Map<number, Set<HeartbeatTarget>>()
  #size = 0

  constructor(periodMs: number) {
    this.#periodMs = periodMs
    this.#timer = setInterval(() => this.#turn(), periodMs / TICKS).unref()
  }

  add(silent: HeartbeatTarget): void {
    silent.beatTick = this.tick
    silent.beatSlot = this.#slotAt(this.tick + TICKS).add(silent)
    this.#size++
  }

  /** Stops a target's heartbeats. Further calls have no effect. */
  remove(silent: HeartbeatTarget): void {
    if (silent.beatSlot?.delete(silent) !== true) return
    silent.beatSlot = undefined
    this.#size--
    if (this.#size > 0) return
    clearInterval(this.#timer)
    wheels.delete(this.#periodMs)
  }

  #turn(): void {
    this.tick++
    const due = this.#slotAt(this.tick)
    this.#slots.delete(this.tick)
    for (const silent of due) {
      const isSilent = silent.beatTick + TICKS <= this.tick
      if (isSilent) silent.beatTick = this.tick
      silent.beatSlot = this.#slotAt(silent.beatTick + TICKS).add(silent)
      if (isSilent) silent.beat()
    }
  }

  #slotAt(tick: number): Set<HeartbeatTarget> {
    let slot = this.#slots.get(tick)
    if (slot === undefined) this.#slots.set(tick, (slot = new Set()))
    return slot
  }
}
