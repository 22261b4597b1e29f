/** Ticks in one period: a heartbeat comes at most one tick early, never late. */
const TICKS = 8

/** What is told that it was silent; an object, as there is one for every open stream. */
export interface Silent {
  beat(): void
}

/** A sign of life that is due once nothing was written for a period. */
export interface Heartbeat {
  /** Something was written: the period starts again. */
  postpone(): void
  /** Ends it for good. */
  stop(): void
}

/**
 * Calls `silent.beat()` whenever `periodMs` milliseconds have passed without `postpone()`.
 *
 * All heartbeats of one period share one timer, which does not keep the process alive. Postponing costs one store.
 */
export function startHeartbeat(periodMs: number, silent: Silent): Heartbeat {
  let wheel = wheels.get(periodMs)
  if (wheel === undefined) wheels.set(periodMs, (wheel = new TimerWheel(periodMs)))
  return wheel.add(silent)
}

const wheels = new Map<number, TimerWheel>()

/** One heartbeat; a class without closures, as there is one for every open stream. */
class Entry implements Heartbeat {
  readonly silent: Silent
  readonly #wheel: TimerWheel
  /** Tick of the last sign of life. */
  lastTick: number
  /** Where the entry lies; it can be taken out without a search. */
  slot: Set<Entry>

  constructor(wheel: TimerWheel, slot: Set<Entry>, silent: Silent) {
    this.#wheel = wheel
    this.slot = slot
    this.silent = silent
    this.lastTick = wheel.tick
  }

  postpone(): void {
    this.lastTick = this.#wheel.tick
  }

  stop(): void {
    this.#wheel.remove(this)
  }
}

/** Keeps every entry under the tick at which it is looked at next. */
class TimerWheel {
  tick = 0
  readonly #periodMs: number
  readonly #timer: NodeJS.Timeout
  readonly #slots = new Map<number, Set<Entry>>()
  #size = 0

  constructor(periodMs: number) {
    this.#periodMs = periodMs
    this.#timer = setInterval(() => this.#turn(), periodMs / TICKS).unref()
  }

  add(silent: Silent): Heartbeat {
    const slot = this.#slotAt(this.tick + TICKS)
    const entry = new Entry(this, slot, silent)
    slot.add(entry)
    this.#size++
    return entry
  }

  remove(entry: Entry): void {
    if (!entry.slot.delete(entry)) return
    this.#size--
    if (this.#size > 0) return
    clearInterval(this.#timer)
    wheels.delete(this.#periodMs)
  }

  #turn(): void {
    this.tick++
    const due = this.#slotAt(this.tick)
    this.#slots.delete(this.tick)
    for (const entry of due) {
      const isSilent = entry.lastTick + TICKS <= this.tick
      if (isSilent) entry.lastTick = this.tick
      entry.slot = this.#slotAt(entry.lastTick + TICKS).add(entry)
      if (isSilent) entry.silent.beat()
    }
  }

  #slotAt(tick: number): Set<Entry> {
    let slot = this.#slots.get(tick)
    if (slot === undefined) this.#slots.set(tick, (slot = new Set()))
    return slot
  }
}
