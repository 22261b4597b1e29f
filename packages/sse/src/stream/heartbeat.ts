/** Ticks in one period: a heartbeat comes at most one tick early, never late. */
const TICKS = 8

/**
 * What is told that it was silent for a period. It is its own entry in the wheel: there is one for every open stream,
 * and a broadcast postpones them all.
 */
export interface HeartbeatTarget {
  /** Tick of the last sign of life; to be set to `tick` of the wheel when something is written. */
  beatTick: number
  /** Where the wheel keeps it; nobody else's concern. */
  beatSlot: Set<HeartbeatTarget> | undefined
  beat(): void
}

/**
 * Calls `silent.beat()` whenever `periodMs` milliseconds have passed without a sign of life.
 *
 * All heartbeats of one period share one timer, which does not keep the process alive.
 *
 * @returns What tells the tick, and takes `silent` out
 */
export function startHeartbeat(periodMs: number, silent: HeartbeatTarget): HeartbeatWheel {
  let wheel = wheels.get(periodMs)
  if (wheel === undefined) wheels.set(periodMs, (wheel = new HeartbeatWheel(periodMs)))
  wheel.add(silent)
  return wheel
}

const wheels = new Map<number, HeartbeatWheel>()

/** Keeps everything of one period under the tick at which it is looked at next. */
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

  /** Ends its heartbeats for good; again is without effect. */
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
