import { runOutsideRequests } from './outside-requests.ts'

/** Output that waits until the end of the event-loop turn. */
export interface HeldOutput {
  /** Sends the output. */
  release(): void
}

/** Milliseconds after which a response is sent before the next handler runs. A running handler can delay it further. */
const MAX_WAIT_MS = 0.5

/**
 * Sends the responses on several connections together at the end of an event-loop turn.
 *
 * Sending each response before the next handler would cost more CPU time than sending them together. The kernel wakes
 * a sleeping client for each one, which evicts the handlers' data from the CPU caches.
 */
// docs/decisions/0007
export class ResponseBatch {
  #holders: HeldOutput[] = []
  /** Time at which the first holder started to wait. */
  #sinceMs = 0
  #isScheduled = false
  #awaitsExit = false
  #isExiting = false

  /** Releases the holder at the end of the turn, or immediately if the process is exiting. */
  add(holder: HeldOutput): void {
    if (this.#isExiting) {
      holder.release()
      return
    }
    if (this.#holders.length === 0) this.#sinceMs = performance.now()
    this.#holders.push(holder)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#onTurnEnd)
    if (this.#awaitsExit) return
    this.#awaitsExit = true
    process.once('exit', this.#onExit)
  }

  /** Sends responses that have waited too long. Called before each handler, because a handler can take a long time. */
  beforeHandler(): void {
    if (this.#holders.length > 0 && performance.now() - this.#sinceMs > MAX_WAIT_MS) this.#send()
  }

  readonly #onTurnEnd = (): void => {
    this.#isScheduled = false
    this.#send()
  }

  /** Sends waiting output when the process exits: an application can respond and then call `process.exit`. */
  readonly #onExit = (): void => {
    this.#isExiting = true
    this.#send()
  }

  #send(): void {
    const holders = this.#holders
    this.#holders = []
    runOutsideRequests(releaseAll, holders)
  }
}

function releaseAll(holders: readonly HeldOutput[]): void {
  for (const holder of holders) {
    try {
      holder.release()
    } catch (error) {
      // If an application wraps sockets, a release can throw. Send the responses on the other connections anyway.
      process.emitWarning(error instanceof Error ? error : String(error))
    }
  }
}

/** The batch for this thread, which has one event loop. */
export const responseBatch: ResponseBatch = new ResponseBatch()
