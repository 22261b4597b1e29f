import type { WebSocketMessage } from '../server-web-socket.ts'

/** Passes messages to a loop, one at a time. */
export class MessageQueue implements AsyncIterableIterator<WebSocketMessage> {
  readonly #onWanted: () => void
  readonly #onReturn: () => void
  #waiting: ((result: IteratorResult<WebSocketMessage>) => void)[] = []
  #isClosed = false

  /**
   * @param onWanted Called when the loop waits for a message
   * @param onReturn Called when the loop ends early
   */
  constructor(onWanted: () => void, onReturn: () => void) {
    this.#onWanted = onWanted
    this.#onReturn = onReturn
  }

  /** Passes a message to the loop. Call it at most once for each call of `onWanted`. */
  add(message: WebSocketMessage): void {
    this.#waiting.shift()?.({ done: false, value: message })
    if (this.#waiting.length > 0) this.#onWanted()
  }

  /** Ends the loop. */
  close(): void {
    this.#isClosed = true
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined })
  }

  next(): Promise<IteratorResult<WebSocketMessage>> {
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === 1) this.#onWanted()
    })
  }

  return(): Promise<IteratorResult<WebSocketMessage>> {
    this.#onReturn()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
