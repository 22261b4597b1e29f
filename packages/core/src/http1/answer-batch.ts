/** Who holds back what it has to send. */
export interface Holder {
  /** Sends it. */
  release(): void
}

/** How long an answer waits for others at most, in milliseconds, and for the handler that runs then. */
const MAX_WAIT_MS = 0.5

/**
 * Answers of several connections, sent one right after the other at the end of a turn of the event loop.
 *
 * Sending one answer between every two handlers costs more: each time the operating system wakes a client that has just
 * fallen asleep, and the handlers find the processor's caches full of its work.
 */
export class AnswerBatch {
  #holders: Holder[] = []
  /** When the first of the holders began to wait. */
  #sinceMs = 0
  #isScheduled = false
  #isSentOnExit = false

  /** Takes care that a holder is released soon. */
  add(holder: Holder): void {
    const nowMs = performance.now()
    if (this.#holders.length > 0 && nowMs - this.#sinceMs > MAX_WAIT_MS) this.#send()
    if (this.#holders.length === 0) this.#sinceMs = nowMs
    this.#holders.push(holder)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#onTurnEnd)
    if (this.#isSentOnExit) return
    this.#isSentOnExit = true
    // An application may answer and then end the process.
    process.once('exit', this.#onTurnEnd)
  }

  readonly #onTurnEnd = (): void => {
    this.#isScheduled = false
    this.#send()
  }

  #send(): void {
    const holders = this.#holders
    this.#holders = []
    for (const holder of holders) holder.release()
  }
}

/** There is one event loop, and so one batch. */
export const answerBatch: AnswerBatch = new AnswerBatch()
