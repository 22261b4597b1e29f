/** How long a close waits for what was written to arrive. */
const DELIVERY_TIMEOUT_MS = 3000
/**
 * How long it then waits for the program of the peer to read it: some throw away what was not read when the close
 * comes (RFC 9000 §10.2.2 does not forbid it), and what was acknowledged need not have been read.
 */
const READING_TIME_MS = 50

/** A close that waits until all that was written has arrived. */
export class DeliveredClose {
  readonly #isDelivered: () => boolean
  readonly #close: (code: number) => void
  #code: number | undefined = undefined
  #isReading = false
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(isDelivered: () => boolean, close: (code: number) => void) {
    this.#isDelivered = isDelivered
    this.#close = close
  }

  /** @returns Whether it was not asked for before */
  begin(code: number): boolean {
    if (this.#code !== undefined) return false
    this.#code = code
    this.#closeIn(code, DELIVERY_TIMEOUT_MS)
    return true
  }

  /** To be called when something may have arrived. */
  check(): void {
    if (this.#code === undefined || this.#isReading || !this.#isDelivered()) return
    this.#isReading = true
    this.#closeIn(this.#code, READING_TIME_MS)
  }

  /** The connection is closed. */
  clear(): void {
    clearTimeout(this.#timer)
  }

  #closeIn(code: number, ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#close(code), ms)
  }
}
