/**
 * Default number of bodies that are decoded at the same time: enough to occupy the four threads of Node.js's pool. A short body
 * can become `maxBodyBytes` decoded ones, so that more would exceed `maxBufferedBytes` before a check could refuse them.
 */
const MAX_DECODING = 8

/** Lets a limited number of bodies decode at the same time. Others wait in order of arrival. */
export class DecodingQueue {
  readonly #max: number
  #running = 0
  readonly #waiting = new Set<() => void>()

  constructor(max: number = MAX_DECODING) {
    this.#max = max
  }

  /** Calls `begin` when fewer than the maximum are decoding, immediately if possible. */
  add(begin: () => void): void {
    if (this.#running >= this.#max) {
      this.#waiting.add(begin)
      return
    }
    this.#running++
    begin()
  }

  /** Removes a body that is still waiting. */
  remove(begin: () => void): void {
    this.#waiting.delete(begin)
  }

  /** Ends the turn of one body. The body that has waited longest takes its place. */
  next(): void {
    const [begin] = this.#waiting
    if (begin === undefined) {
      this.#running--
      return
    }
    this.#waiting.delete(begin)
    begin()
  }
}

const processQueue = new DecodingQueue()

/** The turn of one body to be decoded. */
export class DecodingTurn {
  readonly #queue: DecodingQueue
  #isTaken = false
  #waiting: PromiseWithResolvers<void> | undefined = undefined
  readonly #begin = (): void => {
    this.#isTaken = true
    this.#settle()
  }

  constructor(queue: DecodingQueue = processQueue) {
    this.#queue = queue
  }

  /** Returns a promise until the turn comes. It also resolves if the turn is ended while it is awaited. */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return undefined
    if (this.#waiting === undefined) {
      this.#waiting = Promise.withResolvers()
      this.#queue.add(this.#begin)
    }
    return this.#waiting?.promise
  }

  /** Ends the turn, or the wait for it. */
  end(): void {
    if (this.#waiting !== undefined) {
      this.#queue.remove(this.#begin)
      this.#settle()
    } else if (this.#isTaken) {
      this.#isTaken = false
      this.#queue.next()
    }
  }

  #settle(): void {
    this.#waiting?.resolve()
    this.#waiting = undefined
  }
}
