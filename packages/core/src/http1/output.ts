import { BufferAccount, type BufferHolder } from '../engine/budget/buffer-account.ts'
import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import { ResponseRate } from '../engine/exchange/response-rate.ts'
import type { Limits } from '../options/limits.ts'
import { SlicedWriter, type WriterOwner } from '../engine/socket/sliced-writer.ts'
import { responseBatch, type HeldOutput } from '../engine/event-loop/response-batch.ts'
import type { Transport } from '../engine/transport.ts'

/** What a stall ends. */
interface Breakable extends WriterOwner, BufferHolder {}

/** Characters of responses that wait together at most: more do not make fewer calls of the operating system worth it. */
const MAX_HELD_CHARS = 16 * 1024

/** Writes what a connection sends, and limits the time in which its peer must take it. */
export class Http1Output extends SlicedWriter implements HasDeadline, HeldOutput {
  /** When the peer must have taken something of what it was sent. */
  deadlineMs: number = Infinity
  watchPlace = 0
  readonly #deadlines: Deadlines
  readonly #limits: Limits
  readonly #connection: Breakable
  /** Absent until bytes wait for the peer. Most connections never have one. */
  #account: BufferAccount | undefined = undefined
  #rate: ResponseRate | undefined = undefined
  /** Bytes that the transport held at the last check of the peer. */
  #givenBytes = 0
  #isGivenUp = false
  /**
   * Responses that wait for others to leave with, one byte a character. As one text, as a stream that is corked keeps
   * several objects for each: a thousand connections with a hundred responses are a burden for the garbage collector.
   */
  #held = ''

  /** @param connection Is destroyed when the peer takes bytes too slowly */
  constructor(transport: Transport, deadlines: Deadlines, limits: Limits, connection: Breakable) {
    super(transport, connection)
    this.#deadlines = deadlines
    this.#limits = limits
    this.#connection = connection
  }

  /** Counts the bytes that are held for the connection; made on first access. */
  get account(): BufferAccount {
    return (this.#account ??= new BufferAccount(this.#limits, this.#connection))
  }

  /** Bytes that the transport has not taken. */
  override get bufferedBytes(): number {
    return this.#held.length + super.bufferedBytes
  }

  /** Whether a whole body can be written: it leaves in one write, or the process can hold it. */
  admits(body: Uint8Array | string, byteLength: number): boolean {
    return this.passes(byteLength) || this.account.admits(body, byteLength)
  }

  /** Whether a part of a streamed body can be written. */
  admitsPart(part: Uint8Array): boolean {
    return this.passes(part.byteLength) || this.account.admitsPart(part)
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

  /** Writes text in UTF-8. @param byteLength Its bytes */
  writeBody(text: string, byteLength: number): void {
    this.release()
    if (!this.writeUtf8(text, byteLength)) this.#watch()
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
    this.#rate?.onTaken(this.#givenBytes - this.transport.bufferedBytes)
    this.pump()
    if (this.isBlocked) {
      this.#watch()
      return
    }
    this.#stop()
    this.#account?.setTransportBytes(0)
  }

  onDeadline(): void {
    if (!this.isResting) return this.#connection.destroy()
    this.#rate?.restart()
    this.#watch()
  }

  /** Sends the responses that wait; the time that the peer takes from now on is somebody else's. */
  giveUp(): void {
    this.release()
    this.#isGivenUp = true
    this.#stop()
  }

  /** Drops everything: the transport is closed. */
  close(): void {
    this.#held = ''
    this.clear()
    this.#account?.close()
    if (this.#rate !== undefined) this.#deadlines.unwatch(this)
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

  /** Bytes wait for the peer from now on. */
  #watch(): void {
    this.queue?.hold(this.account)
    this.#givenBytes = this.transport.bufferedBytes
    this.account.setTransportBytes(this.#givenBytes)
    if (this.#isGivenUp) return
    if (this.#rate === undefined) {
      this.#rate = new ResponseRate(this.#deadlines, this.#limits)
      this.#deadlines.watch(this)
    }
    this.#rate.start()
    this.deadlineMs = this.#rate.deadlineMs
  }

  #stop(): void {
    this.#rate?.stop()
    this.deadlineMs = Infinity
  }
}
