import type { ResponseBody } from '@fw/types'
import { startHeartbeat, type HeartbeatTarget } from './heartbeat.ts'

/** A stream whose client has to read before more is written. */
export interface BlockedStream {
  /** Bytes of the stream that the transport has taken so far. */
  readonly takenBytes: number
  isOpen(): boolean
  /** Ends the stream at once. */
  breakOff(): void
}

/** Waits for a client to read everything, but not for one that reads nothing. */
export class Blockage implements HeartbeatTarget {
  /** Resolves when the transport has taken everything written, or the stream is over; never rejects. */
  readonly over: Promise<void>
  readonly #stream: BlockedStream
  #takenBytes: number
  #isProlonged = false
  beatTick = 0
  beatSlot: Set<HeartbeatTarget> | undefined = undefined

  /**
   * @param stallTimeoutMs Longest time in which the client may read nothing, in milliseconds; 0 sets no limit
   * @param onOver Called before `over` resolves
   */
  constructor(stream: BlockedStream, body: ResponseBody, stallTimeoutMs: number, onOver: () => void) {
    this.#stream = stream
    this.#takenBytes = stream.takenBytes
    this.over = this.#wait(body, stallTimeoutMs, onOver)
  }

  /** More was written meanwhile. */
  prolong(): void {
    this.#isProlonged = true
  }

  /** A stall limit has passed since the last look. */
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
