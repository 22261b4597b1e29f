import type { Socket } from 'node:net'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { ReadFlow } from '../engine/socket/read-flow.ts'
import type { Limits } from '../options/limits.ts'

/** The connection that ends. It passes on what it hears, as listeners and a deadline of its own cost every close. */
interface Ending {
  /** When it is to call `onDeadline`. */
  deadlineMs: number
  /** `isVisible`: so that the peer can tell that this is not the end of what it was sent. */
  break(isVisible: boolean): void
}

/**
 * Ends a connection: FIN behind the last response, then what the peer still sends is read and thrown away for a
 * while. A socket that is closed with unread bytes resets the connection, and the response may be lost with it.
 *
 * @see RFC 9112 §9.6
 */
export class LingeringClose {
  readonly #connection: Ending
  readonly #socket: Socket
  readonly #flow: ReadFlow
  readonly #maxBytes: number
  #bytes = 0

  constructor(connection: Ending, socket: Socket, flow: ReadFlow, limits: Limits, deadlines: Deadlines) {
    this.#connection = connection
    this.#socket = socket
    this.#flow = flow
    this.#maxBytes = limits.lingerBytes
    // Until the peer has taken the response, it has the time that it has for any.
    connection.deadlineMs = deadlines.in(limits.writeStallTimeoutMs)
    socket.end(() => (connection.deadlineMs = deadlines.in(limits.lingerTimeoutMs)))
  }

  onDeadline(): void {
    this.#connection.break(!this.#socket.writableFinished)
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) this.onDeadline()
    // It is work all the same, for which others wait.
    else this.#flow.addBytes(chunk.length)
  }
}

/**
 * Ends a connection at once.
 *
 * @param isVisible Whether the peer can tell by a reset that this is not the end of what it was sent
 */
export function cutOff(socket: Socket, isVisible: boolean): void {
  // Everything was sent, and FIN is on its way: Node.js fails at a reset then (EINVAL), and never closes the socket.
  const isEnding = socket.writableEnded && socket.writableLength === 0
  if (isVisible && !isEnding) socket.resetAndDestroy()
  else socket.destroy()
}
