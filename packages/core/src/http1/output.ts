import { BufferAccount, type BufferHolder } from '../engine/budget/buffer-account.ts'
import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import { ResponseRate } from '../engine/exchange/response-rate.ts'
import type { Limits } from '../options/limits.ts'
import { SlicedWriter, type WriterOwner } from '../engine/socket/sliced-writer.ts'
import { responseBatch, type HeldOutput } from '../engine/event-loop/response-batch.ts'
import type { Transport } from '../engine/transport.ts'

/** An output's connection. A stall destroys it. */
interface Breakable extends WriterOwner, BufferHolder {}

/**
 * Maximum characters of responses that are waiting to be sent together. Longer batches do not save more time in system
 * calls.
 */
const MAX_HELD_CHARS = 16 * 1024

/** Writes the responses of a connection, and enforces the minimum rate at which the peer must read them. */
export class Http1Output extends SlicedWriter implements HasDeadline, HeldOutput {
  /** Time by which the peer must have read enough; `Infinity` while no bytes are waiting. */
  deadlineMs: number = Infinity
  watchPlace = 0
  readonly #deadlines: Deadlines
  readonly #limits: Limits
  readonly #connection: Breakable
  /** Account of the waiting bytes; `undefined` until bytes have to wait. Most connections never need an account. */
  #account: BufferAccount | undefined = undefined
  #rate: ResponseRate | undefined = undefined
  /** Bytes in the transport when the peer's progress was last measured. */
  #givenBytes = 0
  #isGivenUp = false
  /**
   * Responses that are waiting to be sent together, as Latin-1 text. A corked stream would keep several objects for
   * each response. With a thousand connections that pipeline a hundred requests each, these objects burden the garbage
   * collector.
   */
  #held = ''
  /** Callbacks to run when all bytes written so far have been sent. */
  #onSent: (() => void)[] | undefined = undefined

  /** @param connection Destroyed when the peer reads too slowly */
  constructor(transport: Transport, deadlines: Deadlines, limits: Limits, connection: Breakable) {
    super(transport, connection)
    this.#deadlines = deadlines
    this.#limits = limits
    this.#connection = connection
  }

  /** Account of the bytes held for the connection. Created on first access. */
  get account(): BufferAccount {
    return (this.#account ??= new BufferAccount(this.#limits, this.#connection))
  }

  /** Bytes that have been written but not sent. */
  override get bufferedBytes(): number {
    return this.#held.length + super.bufferedBytes
  }

  /**
   * Reports whether a whole body can be written. It must fit into one write, or the process must be able to hold it.
   */
  admits(body: Uint8Array | string, byteLength: number): boolean {
    return this.passes(byteLength) || this.account.admits(body, byteLength)
  }

  /** Reports whether a part of a streamed body can be written. */
  admitsPart(part: Uint8Array): boolean {
    return this.passes(part.byteLength) || this.account.admitsPart(part)
  }

  /** Writes a whole response, given as Latin-1 text, at the end of the turn. */
  writeResponse(response: string): void {
    this.#hold(response)
    if (this.isBlocked) this.#watch()
  }

  /** Sends the waiting responses now. */
  release(): void {
    if (this.#held !== '') this.#writeHeld()
  }

  /** Writes Latin-1 text now, after the waiting responses. */
  writeText(text: string): void {
    this.release()
    this.writeLatin1(text)
    if (this.isBlocked) this.#watch()
  }

  /** Writes bytes now, after the waiting responses. @returns False if the caller should wait for the drain */
  writeBytes(bytes: Uint8Array): boolean {
    this.release()
    if (this.write(bytes)) return true
    this.#watch()
    return false
  }

  /** Writes text as UTF-8. @param byteLength Length in UTF-8 bytes */
  writeBody(text: string, byteLength: number): void {
    this.release()
    if (!this.writeUtf8(text, byteLength)) this.#watch()
  }

  /** Calls `onSent` when all bytes written so far have been sent. Does not call it if the connection closes first. */
  whenSent(onSent: () => void): void {
    ;(this.#onSent ??= []).push(onSent)
    this.#passOnSent()
  }

  /** Buffers writes until `uncork`, so that they are sent together. */
  cork(): void {
    this.release()
    this.transport.cork()
  }

  /** Sends the writes that `cork` buffered. */
  uncork(): void {
    this.transport.uncork()
  }

  /** Writes queued bytes and measures the peer's progress. Call it on `drain`. */
  onDrain(): void {
    this.#rate?.onTaken(this.#givenBytes - this.transport.bufferedBytes)
    this.pump()
    if (this.isBlocked) {
      this.#watch()
      return
    }
    this.#stop()
    this.#account?.setTransportBytes(0)
    this.#passOnSent()
  }

  onDeadline(): void {
    if (!this.isResting) return this.#connection.destroy()
    this.#rate?.restart()
    this.#watch()
  }

  /** Sends the waiting responses and stops limiting the peer's time. Any further time limit is up to the caller. */
  giveUp(): void {
    this.release()
    this.#isGivenUp = true
    this.#stop()
  }

  /** Drops all waiting output, because the transport is closed. */
  close(): void {
    this.#held = ''
    this.#onSent = undefined
    this.clear()
    this.#account?.close()
    if (this.#rate !== undefined) this.#deadlines.unwatch(this)
  }

  #hold(response: string): void {
    if (this.#held.length + response.length > MAX_HELD_CHARS) this.release()
    // Write a long response now, so that the caller can detect whether the transport is blocked.
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
    this.#passOnSent()
  }

  /** Passes the callbacks from `whenSent` to the transport, once it has all bytes. */
  #passOnSent(): void {
    const callbacks = this.#onSent
    if (callbacks === undefined || this.#held !== '' || this.hasQueued) return
    this.#onSent = undefined
    this.transport.whenSent(() => {
      for (const onSent of callbacks) onSent()
    })
  }

  /** Counts the waiting bytes, and limits the time in which the peer must read them. */
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
