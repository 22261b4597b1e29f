import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { ReadFlow } from '../engine/socket/read-flow.ts'
import type { Transport } from '../engine/transport.ts'
import type { Limits } from '../options/limits.ts'

/** The connection that ends. It forwards its bytes and its deadline, as separate ones would cost every close. */
interface Ending {
  /** The time at which it calls `onDeadline`. */
  deadlineMs: number
  /** Ends the connection now. @param isVisible Whether the peer must detect that bytes are missing */
  break(isVisible: boolean): void
}

/**
 * Ends a connection: sends FIN after the last response, then reads and discards what the peer still sends for a while.
 * Closing with unread bytes would reset the connection, and the peer could lose the response.
 *
 * @see RFC 9112 §9.6
 */
export class LingeringClose {
  readonly #connection: Ending
  readonly #transport: Transport
  readonly #flow: ReadFlow
  readonly #maxBytes: number
  #bytes = 0

  constructor(connection: Ending, transport: Transport, flow: ReadFlow, limits: Limits, deadlines: Deadlines) {
    this.#connection = connection
    this.#transport = transport
    this.#flow = flow
    this.#maxBytes = limits.lingerBytes
    // The peer has the usual time to take the response. Only then does the time to linger begin.
    connection.deadlineMs = deadlines.in(limits.writeStallTimeoutMs)
    transport.end(() => (connection.deadlineMs = deadlines.in(limits.lingerTimeoutMs)))
  }

  onDeadline(): void {
    this.#connection.break(!this.#transport.isFinished)
  }

  onBytes(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes > this.#maxBytes) this.onDeadline()
    // Discarding is also work for which other connections wait.
    else this.#flow.addBytes(bytes.length)
  }
}
