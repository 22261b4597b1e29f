import { runOutsideRequests } from './outside-requests.ts'

/** Who holds back what it has to send. */
export interface HeldOutput {
  /** Sends it. */
  release(): void
}

/** How long a response waits for others at most, in milliseconds, and for the handler that runs then. */
const MAX_WAIT_MS = 0.5

/**
 * Responses of several connections, sent one right after the other at the end of a turn of the event loop.
 *
 * Sending one response between every two handlers costs more: each time the operating system wakes a client that has just
 * fallen asleep, and the handlers find the processor's caches full of its work.
 */
// docs/decisions/0007
export class ResponseBatch {
  #holders: HeldOutput[] = []
  /** When the first of the holders began to wait. */
  #sinceMs = 0
  #isScheduled = false
  #awaitsExit = false
  #isExiting = false

  /** Takes care that a holder is released soon. */
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

  /** A handler is about to run, which may take long. */
  beforeHandler(): void {
    if (this.#holders.length > 0 && performance.now() - this.#sinceMs > MAX_WAIT_MS) this.#send()
  }

  readonly #onTurnEnd = (): void => {
    this.#isScheduled = false
    this.#send()
  }

  /** An application may answer and then end the process. */
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
      // Of somebody who has wrapped sockets; the responses of other connections have nothing to do with it.
      process.emitWarning(error instanceof Error ? error : String(error))
    }
  }
}

/** There is one event loop, and so one batch. */
export const responseBatch: ResponseBatch = new ResponseBatch()
