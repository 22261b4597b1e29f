import type { ResponseBody } from '@fw/types'
import { startHeartbeat, type HeartbeatTarget } from './heartbeat.ts'

/** A stream that is waiting until its client reads. */
export interface BlockedStream {
  /** Bytes of the stream that the transport has accepted so far. */
  readonly takenBytes: number
  isOpen(): boolean
  /** Aborts the stream. */
  breakOff(): void
}

/** Waits until a client has read everything, and aborts the stream of a client that reads nothing. */
export class Blockage implements HeartbeatTarget {
  /** Resolves when the transport has accepted all bytes or the stream has ended. Never rejects. */
  readonly over: Promise<void>
  readonly #stream: BlockedStream
  #takenBytes: number
  #isProlonged = false
  beatTick = 0
  beatSlot: Set<HeartbeatTarget> | undefined = undefined

  /**
   * @param stallTimeoutMs Maximum time without a read by the client, in milliseconds; 0 disables the limit
   * @param onOver Called before `over` resolves
   */
  constructor(stream: BlockedStream, body: ResponseBody, stallTimeoutMs: number, onOver: () => void) {
    this.#stream = stream
    this.#takenBytes = stream.takenBytes
    this.over = this.#wait(body, stallTimeoutMs, onOver)
  }

  /** Records that more bytes were written. */
  prolong(): void {
    this.#isProlonged = true
  }

  /** Aborts the stream if the client has read nothing since the last call. Calls are one stall limit apart. */
  beat(): void {
    const before = this.#takenBytes
    this.#takenBytes = this.#stream.takenBytes
    if (this.#takenBytes <= before) this.#stream.breakOff()
  }

  async #wait(body: ResponseBody, stallTimeoutMs: number, onOver: () => void): Promise<void> {
    const watch = stallTimeoutMs > 0 ? startHeartbeat(stallTimeoutMs, this) : undefined
    do {
      this.#isProlonged = false
      await body.drained()
    } while (this.#isProlonged && this.#stream.isOpen())
    watch?.remove(this)
    onOver()
  }
}
