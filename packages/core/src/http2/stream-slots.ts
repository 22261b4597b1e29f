/** Something that must happen by a certain time, kept by its number. */
export interface Slotted {
  slot: number
  deadlineMs: number
  onDeadline(): void
}

/**
 * The open streams of a session. They come and go by the thousand a second, so they are kept in an array whose places
 * are used again: a set would leave tables behind that keep closed streams from being collected.
 */
export class StreamSlots {
  readonly #slots: (Slotted | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#slots.length - this.#free.length
  }

  add(stream: Slotted): void {
    const slot = this.#free.pop() ?? this.#slots.length
    this.#slots[slot] = stream
    stream.slot = slot
  }

  remove(stream: Slotted): void {
    if (this.#slots[stream.slot] !== stream) return
    this.#slots[stream.slot] = undefined
    this.#free.push(stream.slot)
  }

  /**
   * Tells those whose time has come.
   *
   * @returns The next deadline of the others, `Infinity` without any
   */
  expire(nowMs: number): number {
    for (const stream of this.#slots) {
      if (stream === undefined || stream.deadlineMs > nowMs) continue
      stream.deadlineMs = Infinity
      stream.onDeadline()
    }
    let nextMs = Infinity
    for (const stream of this.#slots) if (stream !== undefined && stream.deadlineMs < nextMs) nextMs = stream.deadlineMs
    return nextMs
  }
}
