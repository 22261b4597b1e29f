import { ConnectionError, ErrorCode } from './errors.ts'
import type { FrameWriter } from './sending/frame-writer.ts'
import { DEFAULT_WINDOW } from './frames/frame-types.ts'

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
  #bytes = RECEIVE_WINDOW

  /** Tells the client of the window. */
  constructor(writer: FrameWriter) {
    this.#writer = writer
    writer.windowUpdate(0, RECEIVE_WINDOW - DEFAULT_WINDOW)
  }

  /** Counts a DATA frame, whatever becomes of it. @throws {ConnectionError} FLOW_CONTROL_ERROR if it is too large */
  take(frameBytes: number): void {
    this.#bytes -= frameBytes
    if (this.#bytes < 0) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'DATA beyond the window of the connection')
    }
    if (this.#bytes > RECEIVE_WINDOW / 2) return
    this.#writer.windowUpdate(0, RECEIVE_WINDOW - this.#bytes)
    this.#writer.flushSoon()
    this.#bytes = RECEIVE_WINDOW
  }
}

/**
 * Bytes by which the windows of all streams of a connection together may grow beyond what each has: what a client may
 * make us hold if the handlers that read as fast as it sent stop all at once.
 */
const SPARE_BYTES: number = 4 * 1024 * 1024

/** By how much the windows of the streams of a connection may still grow. */
export class SpareWindow {
  #bytes = SPARE_BYTES

  /** @returns How many of the bytes asked for a window may grow by */
  borrow(bytes: number): number {
    const borrowed = Math.min(bytes, this.#bytes)
    this.#bytes -= borrowed
    return borrowed
  }

  giveBack(bytes: number): void {
    this.#bytes += bytes
  }
}
