import { ConnectionError, ErrorCode } from './errors.ts'
import type { FrameWriter } from './sending/frame-writer.ts'
import { DEFAULT_WINDOW } from './frames/frame-types.ts'

/** The connection's receive window, in bytes. The server restores it as DATA arrives, before a handler reads. */
const RECEIVE_WINDOW: number = 1024 * 1024

/**
 * Tracks a connection's receive window. Only the stream windows limit buffered content, so that a stream without a
 * reader does not block the others.
 *
 * @see RFC 9113 §6.9
 */
export class ReceiveWindow {
  readonly #writer: FrameWriter
  #bytes = RECEIVE_WINDOW

  /** Announces the window to the client. */
  constructor(writer: FrameWriter) {
    this.#writer = writer
    writer.windowUpdate(0, RECEIVE_WINDOW - DEFAULT_WINDOW)
  }

  /**
   * Counts a DATA frame, even if its stream ignores it. @throws {ConnectionError} FLOW_CONTROL_ERROR if the frame
   * exceeds the window
   */
  take(frameBytes: number): void {
    this.#bytes -= frameBytes
    if (this.#bytes < 0) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "DATA beyond the connection's window")
    }
    if (this.#bytes > RECEIVE_WINDOW / 2) return
    this.#writer.windowUpdate(0, RECEIVE_WINDOW - this.#bytes)
    this.#writer.flushSoon()
    this.#bytes = RECEIVE_WINDOW
  }
}

/**
 * Bytes by which all stream windows on a connection can grow together. Limits the memory that a client can fill when
 * fast handlers stop reading at the same time.
 */
const SPARE_BYTES: number = 4 * 1024 * 1024

/** Shares the bytes by which the stream windows on a connection can grow. */
export class SpareWindow {
  #bytes = SPARE_BYTES

  /** Reserves up to `bytes`. @returns The number of bytes reserved */
  borrow(bytes: number): number {
    const borrowed = Math.min(bytes, this.#bytes)
    this.#bytes -= borrowed
    return borrowed
  }

  /** Returns reserved bytes. */
  giveBack(bytes: number): void {
    this.#bytes += bytes
  }
}
