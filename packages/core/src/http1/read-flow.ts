import type { Socket } from 'node:net'

/** Octets that are read from one connection before others have their turn: what libuv reads at once. */
const TURN_BYTES = 64 * 1024

/** Who is told that reading goes on. */
export interface FlowOwner {
  /** All others have had their turn. */
  onReadTurn(): void
}

/**
 * When a connection reads: not while what was read cannot be used, and not before all others have had their turn of the
 * event loop where a client sends more than they do.
 */
export class ReadFlow {
  readonly #socket: Socket
  readonly #maxRequests: number
  readonly #owner: FlowOwner
  /** Octets received, and requests begun, since others had their turn. */
  #bytes = 0
  #requests = 0
  #isPaused = false
  #isResting = false

  /** @param maxRequests Requests of one turn, 0 for any number */
  constructor(socket: Socket, maxRequests: number, owner: FlowOwner) {
    this.#socket = socket
    this.#maxRequests = maxRequests
    this.#owner = owner
  }

  /** Whether others have their turn; `onReadTurn` follows. */
  get isResting(): boolean {
    return this.#isResting
  }

  /** Counts received octets that have been looked at. */
  addBytes(count: number): void {
    this.#bytes += count
    if (this.#bytes >= TURN_BYTES) this.#rest()
  }

  /** Whether another request may begin now; if not, `onReadTurn` follows. */
  mayBegin(): boolean {
    if (this.#requests === 0 || this.#requests !== this.#maxRequests) return true
    this.#rest()
    return false
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
    if (shouldPause) this.#socket.pause()
    else this.#socket.resume()
  }

  #rest(): void {
    if (this.#isResting) return
    this.#isResting = true
    this.#bytes = 0
    this.#requests = 0
    this.update(true)
    setImmediate(() => {
      this.#isResting = false
      this.#owner.onReadTurn()
    })
  }
}
