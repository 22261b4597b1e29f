import { ConnectionError, ErrorCode } from './errors.ts'
import type { FrameWriter } from './frame-writer.ts'
import { DEFAULT_WINDOW } from './frames.ts'

/** What content of all streams may take of the connection before it is given back, which is as it arrives. */
const RECEIVE_WINDOW: number = 1024 * 1024

/**
 * What a client may send on all of its streams together. What may wait is bounded by the windows of the streams, so that
 * one that nobody reads keeps no other from sending.
 *
 * @see RFC 9113 §6.9
 */
export class ReceiveWindow {
  readonly #writer: FrameWriter
  #octets = RECEIVE_WINDOW

  /** Tells the client of the window. */
  constructor(writer: FrameWriter) {
    this.#writer = writer
    writer.windowUpdate(0, RECEIVE_WINDOW - DEFAULT_WINDOW)
  }

  /** Counts a DATA frame, whatever becomes of it. @throws {ConnectionError} FLOW_CONTROL_ERROR if it is too large */
  take(frameBytes: number): void {
    this.#octets -= frameBytes
    if (this.#octets < 0) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'DATA beyond the window of the connection')
    }
    if (this.#octets > RECEIVE_WINDOW / 2) return
    this.#writer.windowUpdate(0, RECEIVE_WINDOW - this.#octets)
    this.#writer.flushSoon()
    this.#octets = RECEIVE_WINDOW
  }
}
