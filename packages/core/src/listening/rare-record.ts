/** The minimum time between two records. Each connection of a wrongly configured proxy would cause one. */
const INTERVAL_MS = 10_000

/** Logs an event at most once per interval. */
export class RareRecord<Details extends readonly string[]> {
  readonly #log: (count: number, ...details: Details) => void
  #unrecorded = 0
  #nextMs = -Infinity

  /** @param log Writes the record. `count` is the number of events since the last record, including this one */
  constructor(log: (count: number, ...details: Details) => void) {
    this.#log = log
  }

  /** Counts an event, and logs it unless the last record is too recent. */
  write(...details: Details): void {
    const nowMs = performance.now()
    const count = ++this.#unrecorded
    if (nowMs < this.#nextMs) return
    this.#nextMs = nowMs + INTERVAL_MS
    this.#unrecorded = 0
    this.#log(count, ...details)
  }
}
