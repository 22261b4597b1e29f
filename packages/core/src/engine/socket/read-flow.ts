import { runOutsideRequests } from '../event-loop/outside-requests.ts'
import { turns, type TurnTaker } from '../event-loop/turns.ts'
import type { Transport } from '../transport.ts'

/** Received bytes that make up one share of work, equal to the maximum of one read. */
const SHARE_BYTES = 64 * 1024

/** The connection that a `ReadFlow` controls. */
export interface FlowOwner {
  /** Continues processing received bytes, because it is the connection's turn again. */
  onReadTurn(): void
}

/**
 * Pauses a connection's reads while received bytes cannot be processed, or while the connection is waiting for its
 * turn.
 */
export class ReadFlow implements TurnTaker {
  readonly #transport: Transport
  readonly #maxRequests: number
  readonly #owner: FlowOwner
  /** Received bytes of the current share of work. `#requests` counts its requests. */
  #bytes = 0
  #requests = 0
  #isPaused = false
  #isResting = false

  /** @param maxRequests Requests that make up one share of work; 0 for any number */
  constructor(transport: Transport, maxRequests: number, owner: FlowOwner) {
    this.#transport = transport
    this.#maxRequests = maxRequests
    this.#owner = owner
  }

  /** Whether the connection is waiting for its turn. `onReadTurn` follows. */
  get isResting(): boolean {
    return this.#isResting
  }

  /** Counts received bytes that have been processed. */
  addBytes(count: number): void {
    this.#bytes += count
    if (this.#bytes < SHARE_BYTES) return
    this.#bytes = 0
    this.#takeShare()
  }

  /** Reports whether another request can start now. If not, `onReadTurn` follows. */
  mayBegin(): boolean {
    if (this.#requests === 0 || this.#requests !== this.#maxRequests) return true
    this.#requests = 0
    return this.#takeShare()
  }

  /** Reports whether the connection can continue after a share of work. If not, `onReadTurn` follows. */
  mayContinue(): boolean {
    return this.#takeShare()
  }

  /** Counts a started request. */
  addRequest(): void {
    this.#requests++
  }

  /** Resets the number of requests, because all received bytes have been processed. */
  onEmpty(): void {
    this.#requests = 0
  }

  /** Pauses or resumes reading. @param isStuck Whether received bytes cannot be processed for now */
  update(isStuck: boolean): void {
    const shouldPause = isStuck || this.#isResting
    if (shouldPause === this.#isPaused) return
    this.#isPaused = shouldPause
    if (shouldPause) this.#transport.pause()
    // Node.js delivers buffered bytes in the async context of the caller that resumes the socket.
    else runOutsideRequests(resume, this.#transport)
  }

  onTurn(): void {
    this.#isResting = false
    this.#owner.onReadTurn()
  }

  #takeShare(): boolean {
    if (this.#isResting || !turns.take(this)) {
      this.#isResting = true
      this.update(true)
    }
    return !this.#isResting
  }
}

function resume(transport: Transport): void {
  transport.resume()
}
