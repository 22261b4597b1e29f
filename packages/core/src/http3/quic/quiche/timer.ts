import type { QuicheConnection } from './binding.ts'

/**
 * Calls quiche when it wants to be called: for lost packets, late acknowledgments, silence. What has come until then was
 * read before: a process that stood still takes no packet for lost whose acknowledgment waits, and no client for silent.
 */
export class QuicheTimer {
  readonly #quiche: Pick<QuicheConnection, 'timeout' | 'onTimeout'>
  readonly #onTimeout: () => void
  #timer: NodeJS.Timeout | undefined = undefined
  #due: NodeJS.Immediate | undefined = undefined
  #atMs = Infinity

  /** @param onTimeout Called when quiche was: it may have something to send, or be closed */
  constructor(quiche: Pick<QuicheConnection, 'timeout' | 'onTimeout'>, onTimeout: () => void) {
    this.#quiche = quiche
    this.#onTimeout = onTimeout
  }

  /** Sets the timer as quiche wants it now. */
  arm(): void {
    if (this.#due !== undefined) return
    const timeoutMs = this.#quiche.timeout()
    if (timeoutMs === null) return
    // Rounded down by quiche, so a millisecond more.
    const atMs = performance.now() + timeoutMs + 1
    // A timer that is too early does no harm: it is set again. That is rarer than the time changing.
    if (this.#timer !== undefined && this.#atMs <= atMs) return
    clearTimeout(this.#timer)
    this.#atMs = atMs
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // Timers come before I/O in a turn of the event loop, immediates behind it.
      this.#due = setImmediate(this.#fire)
    }, timeoutMs + 1)
  }

  clear(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#due)
  }

  readonly #fire = (): void => {
    this.#due = undefined
    this.#quiche.onTimeout()
    this.#onTimeout()
  }
}
