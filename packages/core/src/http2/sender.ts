import { turns, type TurnTaker } from '../engine/turns.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import type { FrameWriter } from './frame-writer.ts'
import { DEFAULT_FRAME_BYTES, DEFAULT_WINDOW, MAX_WINDOW } from './frames.ts'

/** Octets of content that are a share of work. */
const SHARE_BYTES = 64 * 1024

/** A stream that has more to send than it could, or waits until it can send more. */
export interface SendingStream {
  /** Whether its own window lets something of it through. */
  readonly canSend: boolean
  /** Whether it is among those that wait for their turn. */
  isQueued: boolean
  /** Sends one frame. @returns Octets of content in it, at most `maxBytes` */
  sendFrame(maxBytes: number): number
  /** The connection takes more. */
  onRoom(): void
  /** The connection is over. */
  onLost(error: Error): void
}

/**
 * Divides what a connection may send among its streams: a frame each in turn, as far as the window of the connection and
 * the socket allow.
 *
 * @see RFC 9113 §5.2, §6.9
 */
export class Sender implements TurnTaker {
  /** Octets of content that the connection may send. */
  window: number = DEFAULT_WINDOW
  /** Octets of content sent so far. */
  sentBytes = 0
  readonly writer: FrameWriter
  #queue: SendingStream[] = []
  /** Those to be told when the connection takes more. */
  #waiting: SendingStream[] = []
  #shareBytes = 0
  #isResting = false
  #isPumping = false

  constructor(writer: FrameWriter) {
    this.writer = writer
  }

  /** Whether streams wait: for their turn, the socket or the window of the connection. */
  get isBusy(): boolean {
    return this.#queue.length > 0 || this.#waiting.length > 0
  }

  /** Whether the connection wants a pause: for the socket, or until its turn comes. */
  get isBlocked(): boolean {
    return this.#isResting || this.writer.isBlocked
  }

  /** Whether a stream may send that much at once, without going before others. */
  mayPass(bytes: number): boolean {
    return bytes <= this.window && this.#queue.length === 0 && !this.isBlocked
  }

  /** Counts content that was sent at once. */
  passed(bytes: number): void {
    this.window -= bytes
    this.sentBytes += bytes
    this.#shareBytes += bytes
    if (this.#shareBytes >= SHARE_BYTES) this.#takeShare()
  }

  /** Sends what a stream has, if not now then when its turn comes. */
  enqueue(stream: SendingStream): void {
    if (!stream.isQueued && stream.canSend) {
      stream.isQueued = true
      this.#queue.push(stream)
    }
    this.pump()
  }

  /** The client lets more through on the connection. @throws {ConnectionError} if that is more than can be */
  widen(octets: number): void {
    if (this.window + octets > MAX_WINDOW) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'A window of the connection above 2^31-1')
    }
    this.window += octets
    this.pump()
  }

  /** Calls `onRoom` of the stream once the connection takes more. */
  awaitRoom(stream: SendingStream): void {
    this.#waiting.push(stream)
  }

  /** Sends as much as it can; to be called when the socket takes more. */
  pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    while (!this.isBlocked && this.window > 0) {
      const stream = this.#queue.shift()
      if (stream === undefined) break
      const sent = stream.sendFrame(Math.min(this.window, DEFAULT_FRAME_BYTES))
      stream.isQueued = stream.canSend
      if (stream.isQueued) this.#queue.push(stream)
      this.passed(sent)
    }
    this.#isPumping = false
    this.writer.flushSoon()
    if (this.#waiting.length > 0 && !this.isBlocked) this.#tellWaiting()
  }

  onTurn(): void {
    this.#isResting = false
    this.pump()
  }

  /** Nothing will be sent any more, and those who wait for it are told. */
  end(error: Error): void {
    const waiting = this.#waiting
    this.#queue = []
    this.#waiting = []
    for (const stream of waiting) stream.onLost(error)
  }

  #tellWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const stream of waiting) stream.onRoom()
  }

  #takeShare(): void {
    this.#shareBytes = 0
    this.#isResting = !turns.take(this)
  }
}
