import type { Socket } from 'node:net'
import type { Deadlines, Watched } from '../engine/deadlines.ts'
import { SlicedWriter, type WriterOwner } from '../engine/sliced-writer.ts'
import { answerBatch, type Holder } from '../engine/answer-batch.ts'

/** What a stall ends. */
interface Breakable extends WriterOwner {
  destroy(): void
}

/** What a connection writes to its socket, and the time its peer has to take it. */
export class SocketOutput implements Watched, Holder {
  /** When the peer must have taken something of what it was sent. */
  deadlineMs: number = Infinity
  watchPlace = 0
  readonly #socket: Socket
  readonly #writer: SlicedWriter
  readonly #deadlines: Deadlines
  readonly #stallTimeoutMs: number
  readonly #connection: Breakable
  #isWatched = false
  /** Whether answers wait for others to leave with. */
  #isHeld = false

  /** @param connection Is destroyed when the peer has taken nothing for `stallTimeoutMs` */
  constructor(socket: Socket, deadlines: Deadlines, stallTimeoutMs: number, connection: Breakable) {
    this.#socket = socket
    this.#writer = new SlicedWriter(socket, connection)
    this.#deadlines = deadlines
    this.#stallTimeoutMs = stallTimeoutMs
    this.#connection = connection
  }

  /** Octets that the socket has not taken. */
  get bufferedBytes(): number {
    return this.#writer.bufferedBytes
  }

  /** Whether the socket wants a pause. */
  get isBlocked(): boolean {
    return this.#writer.isBlocked
  }

  /** Writes a whole answer, soon; text is latin1, one octet a character. */
  writeAnswer(answer: string | Uint8Array): void {
    if (!this.#isHeld) {
      this.#isHeld = true
      this.#socket.cork()
      answerBatch.add(this)
    }
    if (typeof answer === 'string') this.#writer.writeLatin1(answer)
    else this.#writer.write(answer)
    if (this.isBlocked) this.#watch()
  }

  /** Sends the answers that wait. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#socket.uncork()
  }

  /** Writes text, one octet a character (latin1). */
  writeText(text: string): void {
    this.release()
    this.#writer.writeLatin1(text)
    if (this.isBlocked) this.#watch()
  }

  /** @returns Whether the socket wants no pause */
  writeBytes(bytes: Uint8Array): boolean {
    this.release()
    if (this.#writer.write(bytes)) return true
    this.#watch()
    return false
  }

  /** Holds writes back until `uncork`, so that they leave together. */
  cork(): void {
    this.release()
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  /** To be called on `drain`. */
  onDrain(): void {
    this.#writer.pump()
    if (this.isBlocked) this.#watch()
    else this.deadlineMs = Infinity
  }

  onDeadline(): void {
    if (this.#writer.isResting) this.#watch()
    else this.#connection.destroy()
  }

  /** The socket is somebody else's from now on, and so is the time its peer takes. */
  giveUp(): void {
    this.release()
    this.deadlineMs = Infinity
  }

  /** The socket is closed. */
  close(): void {
    this.#writer.clear()
    if (this.#isWatched) this.#deadlines.unwatch(this)
  }

  #watch(): void {
    this.deadlineMs = this.#deadlines.in(this.#stallTimeoutMs)
    if (this.#isWatched) return
    // Most connections never wait for their peer, and are not looked at for it.
    this.#isWatched = true
    this.#deadlines.watch(this)
  }
}
