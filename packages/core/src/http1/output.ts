import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import { SlicedWriter, type WriterOwner } from '../engine/socket/sliced-writer.ts'
import { responseBatch, type HeldOutput } from '../engine/event-loop/response-batch.ts'
import type { Transport } from '../engine/transport.ts'

/** What a stall ends. */
interface Breakable extends WriterOwner {
  destroy(): void
}

/** Characters of responses that wait together at most: more do not make fewer calls of the operating system worth it. */
const MAX_HELD_CHARS = 16 * 1024

/** Writes what a connection sends, and limits the time in which its peer must take it. */
export class Http1Output extends SlicedWriter implements HasDeadline, HeldOutput {
  /** When the peer must have taken something of what it was sent. */
  deadlineMs: number = Infinity
  watchPlace = 0
  readonly #deadlines: Deadlines
  #stallTimeoutMs: number
  readonly #connection: Breakable
  #isWatched = false
  /**
   * Responses that wait for others to leave with, one byte a character. As one text, as a stream that is corked keeps
   * several objects for each: a thousand connections with a hundred responses are a burden for the garbage collector.
   */
  #held = ''

  /** @param connection Is destroyed when the peer has taken nothing for `stallTimeoutMs` */
  constructor(transport: Transport, deadlines: Deadlines, stallTimeoutMs: number, connection: Breakable) {
    super(transport, connection)
    this.#deadlines = deadlines
    this.#stallTimeoutMs = stallTimeoutMs
    this.#connection = connection
  }

  /** Bytes that the transport has not taken. */
  override get bufferedBytes(): number {
    return this.#held.length + super.bufferedBytes
  }

  /** Writes a whole response, soon; text is latin1, one byte a character. */
  writeResponse(response: string): void {
    this.#hold(response)
    if (this.isBlocked) this.#watch()
  }

  /** Sends the responses that wait. */
  release(): void {
    if (this.#held !== '') this.#writeHeld()
  }

  /** Writes text, one byte a character (latin1). */
  writeText(text: string): void {
    this.release()
    this.writeLatin1(text)
    if (this.isBlocked) this.#watch()
  }

  /** @returns False if the caller should wait for the drain */
  writeBytes(bytes: Uint8Array): boolean {
    this.release()
    if (this.write(bytes)) return true
    this.#watch()
    return false
  }

  /** Holds writes back until `uncork`, so that they leave together. */
  cork(): void {
    this.release()
    this.transport.cork()
  }

  uncork(): void {
    this.transport.uncork()
  }

  /** To be called on `drain`. */
  onDrain(): void {
    this.pump()
    if (this.isBlocked) this.#watch()
    else this.deadlineMs = Infinity
  }

  onDeadline(): void {
    if (this.isResting) this.#watch()
    else this.#connection.destroy()
  }

  /** Sends the responses that wait; the time that the peer takes from now on is somebody else's. */
  giveUp(): void {
    this.release()
    this.#stallTimeoutMs = 0
    this.deadlineMs = Infinity
  }

  /** Drops everything: the transport is closed. */
  close(): void {
    this.#held = ''
    this.clear()
    if (this.#isWatched) this.#deadlines.unwatch(this)
  }

  #hold(response: string): void {
    if (this.#held.length + response.length > MAX_HELD_CHARS) this.release()
    // Write it now, so that the caller can see that the transport is blocked.
    if (response.length > MAX_HELD_CHARS) return this.writeLatin1(response)
    const isFirst = this.#held === ''
    this.#held += response
    if (isFirst) responseBatch.add(this)
  }

  #writeHeld(): void {
    const held = this.#held
    this.#held = ''
    this.writeLatin1(held)
    if (this.isBlocked) this.#watch()
  }

  #watch(): void {
    this.deadlineMs = this.#deadlines.in(this.#stallTimeoutMs)
    if (this.#isWatched) return
    // Most connections never wait for their peer, and are not looked at for it.
    this.#isWatched = true
    this.#deadlines.watch(this)
  }
}
