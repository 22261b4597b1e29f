import type { FieldList } from '@fw/types'
import type { Deadlines } from '../engine/event-loop/deadlines.ts'
import type { Limits } from '../options/limits.ts'
import { ProtocolError } from '../engine/errors.ts'
import { copyBytes, bytesToKeep } from '../engine/socket/kept-bytes.ts'
import { LingerLimits } from '../engine/socket/linger-limits.ts'
import { ReceivedBody, type BodySupply } from '../engine/exchange/received-body.ts'
import { BodyTimeout } from './body-timeout.ts'
import { ConnectionError, ErrorCode, StreamError } from './errors.ts'
import { DEFAULT_WINDOW } from './frames/frame-types.ts'
import type { Http2RequestHead } from './request-head.ts'
import type { SpareWindow } from './receive-windows.ts'

/**
 * Window bytes per DATA frame that may arrive while the buffer is full. Without this limit, frames of one or two bytes
 * would use 150 times as much memory as the window, on every stream.
 */
const WINDOW_PER_UNREAD_FRAME = 64
/**
 * Milliseconds without request bytes after which an answered request is reset. With an immediate RST_STREAM, curl 7.88
 * loses the response, and HAProxy 2.6 breaks the connection of a client that is still sending.
 */
const RESET_AFTER_MS = 250
/** Maximum window of a stream, in bytes, reached while the handler keeps up. A client sends one window per round trip. */
const MAX_STREAM_WINDOW: number = 1024 * 1024

/** The parts of a request head that concern the body. */
type Http2BodyHead = Pick<Http2RequestHead, 'contentLength' | 'expectsContinue' | 'protocol'>

/** Gives a request body access to its exchange. */
export interface Http2BodyOwner {
  readonly limits: Limits
  readonly deadlines: Deadlines
  readonly spareWindow: SpareWindow
  abort(): void
  /** Reports a change in the held bytes of the content; negative for fewer bytes. */
  onHeld(difference: number, isReceived: boolean): void
  /** Schedules `watch` after all frames that arrived together. */
  watchSoon(): void
  /** Called when `deadlineMs` of the body has changed. */
  onBodyDeadline(): void
  /** Sends 100 (Continue) unless the response has started. */
  sendContinue(): void
  /** Sends WINDOW_UPDATE for the stream. */
  credit(bytes: number): void
  /** Resets the stream with NO_ERROR, so that the client stops sending. */
  stopRequest(): void
}

/** Receives the DATA and trailers of a request, and manages the receive window of its stream. */
export class Http2RequestBody implements BodySupply {
  readonly body: ReceivedBody
  readonly #owner: Http2BodyOwner
  readonly #announced: number | undefined
  /**
   * Time limits of the body, created when the body first has to wait. Most bodies arrive together with their head and
   * need no clock.
   */
  #time: BodyTimeout | undefined = undefined
  /** Bytes received since the last call to `#time.onBytes`. */
  #untimedBytes = 0
  /** Whether a call to `watch` is scheduled. */
  #isNoted = false
  /** Limits for discarding the rest of the request, set once the response is complete. */
  #linger: LingerLimits | undefined = undefined
  #awaitsContinue: boolean
  #isFull = false
  #unreadFrames = 0
  #isComplete = false
  /** Whether time limits apply. The client of a tunnel can wait as long as it wants. */
  readonly #isTimed: boolean
  /** Whether the stream has ended. If so, no frame may be sent on it. */
  #isOver = false
  #receivedBytes = 0
  /** Bytes that the client may still send, including padding. */
  #window: number = DEFAULT_WINDOW
  /** Size of the whole window, in bytes. */
  #size: number = DEFAULT_WINDOW
  /** Received bytes that no WINDOW_UPDATE has returned yet. */
  #owed = 0

  constructor(owner: Http2BodyOwner, { contentLength, expectsContinue, protocol }: Http2BodyHead) {
    const { limits } = owner
    this.body = new ReceivedBody(contentLength, limits.maxBufferedBodyBytes, this)
    this.#owner = owner
    this.#announced = contentLength
    this.#awaitsContinue = expectsContinue
    this.#isTimed = protocol === undefined
    this.#watchSoon()
  }

  /** Time by which the next bytes must arrive, or at which an answered request is reset. */
  get deadlineMs(): number {
    return this.#linger?.deadlineMs ?? this.#time?.deadlineMs ?? Infinity
  }

  /** Whether END_STREAM has arrived. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Starts or restarts the timeouts for an incomplete body. @param nowMs Current time, as `performance.now()` */
  watch(nowMs: number): void {
    this.#isNoted = false
    // No timeout applies while the client is waiting for 100 (Continue), or until the handler has read the buffered
    // bytes.
    if (this.#isComplete || this.#awaitsContinue || this.#isFull || this.#linger !== undefined || !this.#isTimed) return
    const { deadlines, limits } = this.#owner
    this.#time ??= new BodyTimeout(limits, deadlines, nowMs)
    try {
      this.#time.onBytes(this.#untimedBytes, nowMs)
    } catch (error) {
      this.body.fail(error as ProtocolError)
    }
    this.#untimedBytes = 0
    this.#owner.onBodyDeadline()
  }

  /** Stops the timeouts. */
  unwatch(): void {
    if (this.#time === undefined) return
    this.#time.stop()
    this.#owner.onBodyDeadline()
  }

  /**
   * Discards the rest of the request after a complete response. Resets the stream after too many bytes, or after
   * `RESET_AFTER_MS` without bytes.
   */
  linger(): void {
    const { limits, deadlines } = this.#owner
    this.#linger = new LingerLimits(limits, deadlines)
    this.#linger.start(RESET_AFTER_MS)
    this.body.discard()
    this.#owner.onBodyDeadline()
  }

  onDeadline(): void {
    if (this.#linger !== undefined) return this.#owner.stopRequest()
    this.unwatch()
    this.body.fail(new ProtocolError(408, 'Request body took too long', 'stream'))
  }

  /**
   * Receives the body bytes of a DATA frame.
   *
   * @param bytes Buffer with the body bytes from `start` to `end`; other frames can share it
   * @param frameBytes Payload length of the frame, including padding
   * @throws {ConnectionError} FLOW_CONTROL_ERROR if the frame exceeds the window
   * @throws {StreamError} if there is more content than announced, or too many small frames are buffered
   */
  onData(bytes: Buffer, start: number, end: number, frameBytes: number): void {
    const length = end - start
    this.#window -= frameBytes
    if (this.#window < 0)
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'DATA beyond the window of its stream')
    this.#owed += frameBytes
    this.#receivedBytes += length
    if (this.#announced !== undefined && this.#receivedBytes > this.#announced) throw wrongLength()
    if (this.#isFull && ++this.#unreadFrames * WINDOW_PER_UNREAD_FRAME > this.#size) {
      // RFC 9113 §10.5: too many small frames. The reset frees the buffered ones.
      throw new StreamError(ErrorCode.ENHANCE_YOUR_CALM, 'Content in too many small frames')
    }
    if (this.#linger === undefined) {
      this.#untimedBytes += length
      this.#watchSoon()
    } else if (!this.#linger.add(frameBytes)) return this.#owner.stopRequest()
    else this.#owner.onBodyDeadline()
    const { body } = this
    if (length > 0 && !body.isDiscarded) {
      body.push(body.isFlowing ? bytesToKeep(bytes, start, end) : copyBytes(bytes, start, end))
    }
    if (!this.#isFull) this.#credit(this.#size >>> 1)
  }

  /**
   * Completes the body.
   *
   * @throws {StreamError} if there is less content than announced
   */
  onEnd(trailers: FieldList): void {
    if (this.#announced !== undefined && this.#receivedBytes !== this.#announced) throw wrongLength()
    this.#isComplete = true
    this.#giveBack()
    this.unwatch()
    this.body.finish(trailers)
  }

  /** Called when the stream has ended, completely or by a reset. */
  onStreamOver(): void {
    this.#isOver = true
    this.#giveBack()
  }

  /** Fails an incomplete body, because the stream ended before its exchange. */
  onClosed(error: Error): void {
    this.unwatch()
    if (!this.#isComplete) this.body.fail(error)
  }

  onWanted(): void {
    if (!this.#awaitsContinue) return
    this.#awaitsContinue = false
    this.#owner.sendContinue()
    this.watch(performance.now())
  }

  onFull(): void {
    this.#isFull = true
    this.#unreadFrames = 0
    this.unwatch()
  }

  onRoom(): void {
    this.#isFull = false
    this.#untimedBytes = 0
    this.#time?.restart()
    this.watch(performance.now())
    this.#credit(1)
  }

  onHeld(difference: number, isReceived: boolean): void {
    this.#owner.onHeld(difference, isReceived)
  }

  onFault(): void {
    this.#owner.abort()
  }

  /** Returns the received bytes to the client's window if there are at least `minBytes` of them. */
  #credit(minBytes: number): void {
    if (this.#owed < minBytes || this.#isComplete || this.#isOver) return
    if (this.body.isFlowing) this.#owed += this.#grow()
    this.#window += this.#owed
    this.#owner.credit(this.#owed)
    this.#owed = 0
  }

  /** Doubles the window as far as the limits allow. @returns Bytes by which it has grown */
  #grow(): number {
    const borrowed = this.#owner.spareWindow.borrow(Math.min(this.#size, MAX_STREAM_WINDOW - this.#size))
    this.#size += borrowed
    return borrowed
  }

  #giveBack(): void {
    this.#owner.spareWindow.giveBack(this.#size - DEFAULT_WINDOW)
    this.#size = DEFAULT_WINDOW
  }

  #watchSoon(): void {
    if (this.#isNoted || !this.#isTimed) return
    this.#isNoted = true
    this.#owner.watchSoon()
  }
}

function wrongLength(): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, 'Malformed request: content does not match Content-Length')
}
