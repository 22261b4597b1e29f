import type { QuicheConnection } from './binding.ts'

/**
 * Calls quiche when its timeout expires, for loss detection, delayed acknowledgments or the idle timeout. Received
 * packets are processed first. After a blocked event loop, quiche therefore does not treat acknowledged packets as lost
 * or active clients as idle.
 */
export class QuicheTimer {
  readonly #quiche: Pick<QuicheConnection, 'timeout' | 'onTimeout'>
  readonly #onTimeout: () => void
  #timer: NodeJS.Timeout | undefined = undefined
  #due: NodeJS.Immediate | undefined = undefined
  #atMs = Infinity

  /**
   * Creates the timer for one connection.
   *
   * @param onTimeout Called after quiche's timeout handler, when quiche can have packets to send or can have closed the
   * connection
   */
  constructor(quiche: Pick<QuicheConnection, 'timeout' | 'onTimeout'>, onTimeout: () => void) {
    this.#quiche = quiche
    this.#onTimeout = onTimeout
  }

  /** Sets the timer to quiche's current timeout, unless an earlier timeout is set. */
  arm(): void {
    if (this.#due !== undefined) return
    const timeoutMs = this.#quiche.timeout()
    if (timeoutMs === null) return
    // Add one millisecond because quiche rounds down.
    const atMs = performance.now() + timeoutMs + 1
    // A timer that fires early is harmless, because it is set again. Resetting the timer on each change would cost
    // more than such early calls.
    if (this.#timer !== undefined && this.#atMs <= atMs) return
    clearTimeout(this.#timer)
    this.#atMs = atMs
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // Wait for an immediate, which runs after the I/O of this turn. Timers run before it.
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
