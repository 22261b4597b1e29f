import type { QuicheConnection } from './quiche-binding.ts'

/** Calls quiche when it wants to be called: for lost packets, late acknowledgments, silence. */
export class QuicheTimer {
  readonly #quiche: Pick<QuicheConnection, 'timeout' | 'onTimeout'>
  readonly #onTimeout: () => void
  #timer: NodeJS.Timeout | undefined = undefined
  #atMs = Infinity

  /** @param onTimeout Called when quiche was: it may have something to send, or be closed */
  constructor(quiche: Pick<QuicheConnection, 'timeout' | 'onTimeout'>, onTimeout: () => void) {
    this.#quiche = quiche
    this.#onTimeout = onTimeout
  }

  /** Sets the timer as quiche wants it now. */
  arm(): void {
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
      this.#quiche.onTimeout()
      this.#onTimeout()
    }, timeoutMs + 1)
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
