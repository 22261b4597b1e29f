import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import { LingerLimits } from '../engine/socket/linger-limits.ts'
import type { ReadFlow } from '../engine/socket/read-flow.ts'
import type { Transport } from '../engine/transport.ts'
import type { Limits } from '../options/limits.ts'

/**
 * The connection to close. It forwards received bytes and deadline events, because adding listeners would cost time on
 * every close.
 */
interface Ending {
  /** Time at which the connection calls `onDeadline`. */
  deadlineMs: number
  /** Closes the connection now. @param isVisible Whether the peer must detect that bytes are missing */
  break(isVisible: boolean): void
}

/**
 * Sends FIN after the last response, then reads and discards the peer's bytes for a limited time. Closing with unread
 * bytes would reset the connection, and the peer could lose the response.
 *
 * @see RFC 9112 §9.6
 */
export class LingeringClose {
  readonly #connection: Ending
  readonly #transport: Transport
  readonly #flow: ReadFlow
  readonly #limits: LingerLimits

  constructor(connection: Ending, transport: Transport, flow: ReadFlow, limits: Limits, deadlines: Deadlines) {
    this.#connection = connection
    this.#transport = transport
    this.#flow = flow
    this.#limits = new LingerLimits(limits, deadlines)
    this.#limits.awaitResponse()
    connection.deadlineMs = this.#limits.deadlineMs
    transport.end(() => {
      this.#limits.start()
      connection.deadlineMs = this.#limits.deadlineMs
    })
  }

  onDeadline(): void {
    this.#connection.break(!this.#transport.isFinished)
  }

  onBytes(bytes: Buffer): void {
    if (!this.#limits.add(bytes.length)) return this.onDeadline()
    this.#connection.deadlineMs = this.#limits.deadlineMs
    // Discarding bytes also delays other connections.
    this.#flow.addBytes(bytes.length)
  }
}
