import type { FieldList } from '@fw/types'
import { BodyRate } from '../engine/body-rate.ts'
import type { Deadlines } from '../engine/deadlines.ts'
import type { Limits } from '../limits.ts'
import { ProtocolError } from '../engine/protocol-error.ts'
import { ReceivedBody, type BodySupply } from '../engine/received-body.ts'
import { copied, keepable } from './content-copy.ts'
import { ConnectionError, ErrorCode, StreamError } from './errors.ts'
import { DEFAULT_WINDOW } from './frames.ts'

/**
 * Octets of the window for each DATA frame that may come while nobody reads what came before. In frames of an octet or two
 * a window would be 150 times as much memory, on every stream of a connection.
 */
const WINDOW_PER_UNREAD_FRAME = 64
/** The window of a stream whose content is read as fast as it comes: on a long path a window is sent in each round trip. */
const MAX_STREAM_WINDOW: number = 1024 * 1024

/** What the content of a request needs of the exchange that it belongs to. */
export interface ContentOwner {
  readonly limits: Limits
  readonly deadlines: Deadlines
  abort(): void
  /** The content has another `deadlineMs`. */
  onContentDeadline(): void
  /** 100 (Continue) may be sent now. */
  sendContinue(): void
  /** Lets the client send so many octets more on the stream. */
  credit(octets: number): void
  /** Asks for octets by which the window may be larger than others. @returns How many it may be */
  borrow(octets: number): number
  /** The window is no longer larger than others. */
  giveBack(octets: number): void
}

/** The content of a request that did not end with its head: DATA and trailers, and the time they may take. */
export class RequestContent implements BodySupply {
  readonly body: ReceivedBody
  /** When more must have arrived. */
  deadlineMs: number = Infinity
  readonly #owner: ContentOwner
  readonly #announced: number | undefined
  readonly #requestDeadlineMs: number
  readonly #rate: BodyRate
  #awaitsContinue: boolean
  #isFull = false
  #unreadFrames = 0
  #isComplete = false
  /** Whether no frame may be sent on the stream any more. */
  #isOver = false
  #receivedBytes = 0
  /** Octets that the client may still send, padding included. */
  #window: number = DEFAULT_WINDOW
  /** What the client may send in all before it hears of us. */
  #size: number = DEFAULT_WINDOW
  /** Octets that were received and not given back to the window. */
  #owed = 0

  /** @param announced Octets by `content-length`, `undefined` without */
  constructor(owner: ContentOwner, announced: number | undefined, expectsContinue: boolean) {
    const { limits, deadlines } = owner
    this.body = new ReceivedBody(announced, limits.maxBufferedBodyBytes, this)
    this.#owner = owner
    this.#announced = announced
    this.#requestDeadlineMs = deadlines.in(limits.requestTimeoutMs)
    this.#rate = new BodyRate(limits)
    this.#awaitsContinue = expectsContinue
  }

  /** Whether END_STREAM has arrived. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Begins to wait for more. */
  watch(): void {
    // Who waits for 100 has been asked for nothing yet.
    if (this.#awaitsContinue) return
    const { deadlines, limits } = this.#owner
    const stallMs = deadlines.in(limits.bodyStallTimeoutMs)
    // Nothing is missed while what came before waits for its reader.
    const isAwaited = !this.#isComplete && !this.#isFull
    this.#setDeadline(isAwaited ? Math.min(stallMs, this.#requestDeadlineMs) : Infinity)
  }

  /** Nothing more is waited for. */
  unwatch(): void {
    this.#setDeadline(Infinity)
  }

  onDeadline(): void {
    this.unwatch()
    this.body.fail(new ProtocolError(408, 'Request body took too long', 'stream'))
  }

  /**
   * A DATA frame has arrived.
   *
   * @param frameBytes What it takes of the window
   * @throws {ConnectionError} FLOW_CONTROL_ERROR if that is more than is left
   * @throws {StreamError} if there is more content than announced, or too many frames wait
   */
  onData(content: Buffer, frameBytes: number): void {
    this.#window -= frameBytes
    if (this.#window < 0)
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'DATA beyond the window of its stream')
    this.#owed += frameBytes
    this.#receivedBytes += content.length
    if (this.#announced !== undefined && this.#receivedBytes > this.#announced) throw wrongLength()
    if (this.#isFull && ++this.#unreadFrames * WINDOW_PER_UNREAD_FRAME > this.#size) {
      // RFC 9113 §10.5: small frames in excess. What waits is freed with the stream.
      throw new StreamError(ErrorCode.ENHANCE_YOUR_CALM, 'Content in too many small frames')
    }
    this.watch()
    try {
      this.#rate.add(content.length)
    } catch (error) {
      this.body.fail(error as ProtocolError)
    }
    const { body } = this
    if (body.isDiscarded) body.push(content)
    else body.push(body.isFlowing ? keepable(content) : copied(content))
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
    this.watch()
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
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false
      this.#owner.sendContinue()
    }
    this.watch()
  }

  onFull(): void {
    this.#isFull = true
    this.#unreadFrames = 0
    this.unwatch()
  }

  onRoom(): void {
    this.#isFull = false
    this.#rate.restart()
    this.watch()
    this.#credit(1)
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

  /** @returns Octets by which the window has become larger */
  #grow(): number {
    const borrowed = this.#owner.borrow(Math.min(this.#size, MAX_STREAM_WINDOW - this.#size))
    this.#size += borrowed
    return borrowed
  }

  #giveBack(): void {
    this.#owner.giveBack(this.#size - DEFAULT_WINDOW)
    this.#size = DEFAULT_WINDOW
  }

  #setDeadline(deadlineMs: number): void {
    this.deadlineMs = deadlineMs
    this.#owner.onContentDeadline()
  }
}

function wrongLength(): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, 'Malformed request: not as much content as announced')
}
