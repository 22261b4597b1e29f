/** Milliseconds for which a close waits until the peer acknowledges all written bytes. */
const DELIVERY_TIMEOUT_MS = 3000
/**
 * Milliseconds for which a close then waits until the peer's application has read the bytes. Acknowledged bytes can
 * still be unread, and some peers discard unread bytes when the close arrives, as RFC 9000 §10.2.2 permits.
 */
const READING_TIME_MS = 50

/** Closes a connection after the peer has acknowledged all written bytes. */
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

  /**
   * Starts the close.
   *
   * @returns false if the close has already started
   */
  begin(code: number): boolean {
    if (this.#code !== undefined) return false
    this.#code = code
    this.#closeIn(code, DELIVERY_TIMEOUT_MS)
    return true
  }

  /** Checks for delivery. Call it after packets have arrived. */
  check(): void {
    if (this.#code === undefined || this.#isReading || !this.#isDelivered()) return
    this.#isReading = true
    this.#closeIn(this.#code, READING_TIME_MS)
  }

  /** Cancels the close because the connection has closed. */
  clear(): void {
    clearTimeout(this.#timer)
  }

  #closeIn(code: number, ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#close(code), ms)
  }
}
