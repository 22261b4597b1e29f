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
import type { SpareWindow } from './receive-windows.ts'

/**
 * Bytes of the window for each DATA frame that may come while nobody reads what came before. In frames of a byte or two
 * a window would be 150 times as much memory, on every stream of a connection.
 */
const WINDOW_PER_UNREAD_FRAME = 64
/**
 * Silence after which a client is asked to send no more of a request that has its response. Not earlier: curl 7.88 loses a
 * response that RST_STREAM follows immediately, and HAProxy 2.6 then breaks the connection of a client that still sends.
 */
const RESET_AFTER_MS = 250
/** The window of a stream whose content is read as fast as it comes: on a long path a window is sent in each round trip. */
const MAX_STREAM_WINDOW: number = 1024 * 1024

/** What the body of a request needs of the exchange that it belongs to. */
export interface Http2BodyOwner {
  readonly limits: Limits
  readonly deadlines: Deadlines
  readonly spareWindow: SpareWindow
  abort(): void
  /** Reports that more bytes of the content are held; fewer if negative. */
  onHeld(difference: number): void
  /** Calls `watch` once all that was received together has been looked at. */
  watchSoon(): void
  /** The content has another `deadlineMs`. */
  onBodyDeadline(): void
  /** 100 (Continue) may be sent now. */
  sendContinue(): void
  /** Lets the client send so many bytes more on the stream. */
  credit(bytes: number): void
  /** Asks the client to send no more. */
  stopRequest(): void
}

/** The content of a request that did not end with its head: DATA and trailers, and the window that they have. */
export class Http2RequestBody implements BodySupply {
  readonly body: ReceivedBody
  readonly #owner: Http2BodyOwner
  readonly #announced: number | undefined
  /** Absent while the clock need not be asked: most requests are complete as soon as they are heard of. */
  #time: BodyTimeout | undefined = undefined
  /** Bytes that time has not been told of. */
  #untimedBytes = 0
  /** Whether `watch` is about to be called. */
  #isNoted = false
  /** Set once the response is complete. */
  #linger: LingerLimits | undefined = undefined
  #awaitsContinue: boolean
  #isFull = false
  #unreadFrames = 0
  #isComplete = false
  /** Whether no frame may be sent on the stream any more. */
  #isOver = false
  #receivedBytes = 0
  /** Bytes that the client may still send, padding included. */
  #window: number = DEFAULT_WINDOW
  /** What the client may send in all before it hears of us. */
  #size: number = DEFAULT_WINDOW
  /** Bytes that were received and not given back to the window. */
  #owed = 0

  /** @param announced Bytes by `content-length`, `undefined` without */
  constructor(owner: Http2BodyOwner, announced: number | undefined, expectsContinue: boolean) {
    const { limits } = owner
    this.body = new ReceivedBody(announced, limits.maxBufferedBodyBytes, this)
    this.#owner = owner
    this.#announced = announced
    this.#awaitsContinue = expectsContinue
    this.#watchSoon()
  }

  /** When more must have arrived. */
  get deadlineMs(): number {
    return this.#linger?.deadlineMs ?? this.#time?.deadlineMs ?? Infinity
  }

  /** Whether END_STREAM has arrived. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Waits for more, if more is to come. */
  watch(nowMs: number): void {
    this.#isNoted = false
    // Who waits for 100 has been asked for nothing yet, and nothing is missed while what came waits for its reader.
    if (this.#isComplete || this.#awaitsContinue || this.#isFull || this.#linger !== undefined) return
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

  /** Nothing more is waited for. */
  unwatch(): void {
    if (this.#time === undefined) return
    this.#time.stop()
    this.#owner.onBodyDeadline()
  }

  /** The response is complete: discards the rest of the request, until too much of it arrives or nothing any more. */
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
   * A DATA frame has arrived, with body bytes from `start` to `end`.
   *
   * @param bytes Others may be in them, too
   * @param frameBytes What it takes of the window
   * @throws {ConnectionError} FLOW_CONTROL_ERROR if that is more than is left
   * @throws {StreamError} if there is more content than announced, or too many frames wait
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
      // RFC 9113 §10.5: small frames in excess. What waits is freed with the stream.
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
   * The request is complete.
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

  /** The stream has ended, in whatever way. */
  onStreamOver(): void {
    this.#isOver = true
    this.#giveBack()
  }

  /** The stream has ended before its exchange. */
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

  onHeld(difference: number): void {
    this.#owner.onHeld(difference)
  }

  onFault(): void {
    this.#owner.abort()
  }

  /** Gives back what was received, if it is worth a frame. */
  #credit(least: number): void {
    if (this.#owed < least || this.#isComplete || this.#isOver) return
    if (this.body.isFlowing) this.#owed += this.#grow()
    this.#window += this.#owed
    this.#owner.credit(this.#owed)
    this.#owed = 0
  }

  /** @returns Bytes by which the window has become larger */
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
    if (this.#isNoted) return
    this.#isNoted = true
    this.#owner.watchSoon()
  }
}

function wrongLength(): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, 'Malformed request: not as much content as announced')
}
