import { runOutsideRequests } from '../event-loop/outside-requests.ts'
import { turns, type TurnTaker } from '../event-loop/turns.ts'
import type { Transport } from '../transport.ts'

/** Bytes that are a share of work: what Node.js reads at once. */
const SHARE_BYTES = 64 * 1024

/** Who is told that reading goes on. */
export interface FlowOwner {
  /** The connection's turn has come again. */
  onReadTurn(): void
}

/** When a connection reads: not while what was read cannot be used, and not while it waits for its turn. */
export class ReadFlow implements TurnTaker {
  readonly #transport: Transport
  readonly #maxRequests: number
  readonly #owner: FlowOwner
  /** Bytes received, and requests begun, of the current share of work. */
  #bytes = 0
  #requests = 0
  #isPaused = false
  #isResting = false

  /** @param maxRequests Requests that are a share of work, 0 for any number */
  constructor(transport: Transport, maxRequests: number, owner: FlowOwner) {
    this.#transport = transport
    this.#maxRequests = maxRequests
    this.#owner = owner
  }

  /** Whether the connection waits for its turn; `onReadTurn` follows. */
  get isResting(): boolean {
    return this.#isResting
  }

  /** Counts received bytes that have been looked at. */
  addBytes(count: number): void {
    this.#bytes += count
    if (this.#bytes < SHARE_BYTES) return
    this.#bytes = 0
    this.#takeShare()
  }

  /** Whether another request may begin now; if not, `onReadTurn` follows. */
  mayBegin(): boolean {
    if (this.#requests === 0 || this.#requests !== this.#maxRequests) return true
    this.#requests = 0
    return this.#takeShare()
  }

  /** Whether work may go on that has been a share already; if not, `onReadTurn` follows. */
  mayGoOn(): boolean {
    return this.#takeShare()
  }

  /** Counts a request that begins. */
  addRequest(): void {
    this.#requests++
  }

  /** Everything received has been used. */
  onEmpty(): void {
    this.#requests = 0
  }

  /** @param isStuck Whether what was read cannot be used for now */
  update(isStuck: boolean): void {
    const shouldPause = isStuck || this.#isResting
    if (shouldPause === this.#isPaused) return
    this.#isPaused = shouldPause
    if (shouldPause) this.#transport.pause()
    // Node.js delivers buffered bytes in the asynchronous context of the caller that resumes the socket.
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
