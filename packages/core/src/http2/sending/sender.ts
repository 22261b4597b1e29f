import { runOutsideRequests } from '../../engine/event-loop/outside-requests.ts'
import type { Priority } from '../../engine/fields/priority.ts'
import { turns, type TurnTaker } from '../../engine/event-loop/turns.ts'
import { ConnectionError, ErrorCode } from '../errors.ts'
import type { FrameWriter } from './frame-writer.ts'
import { DEFAULT_FRAME_BYTES, DEFAULT_WINDOW, MAX_WINDOW } from '../frames/frame-types.ts'
import { SendQueue } from './send-queue.ts'

/** Bytes of content that are a share of work. */
const SHARE_BYTES = 64 * 1024

/** A stream that has more to send than it could, or waits until it can send more. */
export interface SendingStream {
  /** Its number. */
  readonly id: number
  priority: Priority
  /** Whether its own window lets something of it through. */
  readonly canSend: boolean
  /** Whether it is among those that wait for their turn. */
  isQueued: boolean
  /** Sends one frame. @returns Body bytes in it, at most `maxBytes` */
  sendFrame(maxBytes: number): number
  /** The connection takes more. */
  onRoom(): void
  /** The connection is over. */
  onLost(error: Error): void
}

/**
 * Divides what a connection may send among its streams, frame by frame, as far as the window of the connection and the
 * socket allow. Streams whose own window is closed are not in the queue, so that others go before however urgent they are.
 *
 * @see RFC 9113 §5.2, §6.9
 */
export class Sender implements TurnTaker {
  /** Bytes of content that the connection may send. */
  window: number = DEFAULT_WINDOW
  /** Body bytes sent so far. */
  sentBytes = 0
  readonly writer: FrameWriter
  readonly #queue = new SendQueue<SendingStream>()
  /** Those to be told when the connection takes more. */
  #waiting = new Set<SendingStream>()
  #shareBytes = 0
  #isResting = false
  #isPumping = false

  constructor(writer: FrameWriter) {
    this.writer = writer
  }

  /** Whether streams wait: for their turn, the socket or the window of the connection. */
  get isBusy(): boolean {
    return this.#queue.size > 0 || this.#waiting.size > 0
  }

  /** Whether the connection wants a pause: for the socket, or until its turn comes. */
  get isBlocked(): boolean {
    return this.#isResting || this.writer.isBlocked
  }

  /** Whether a stream may send that much at once, without going before others. */
  mayPass(bytes: number): boolean {
    return bytes <= this.window && this.#queue.size === 0 && !this.isBlocked
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
      this.#queue.add(stream)
    }
    this.pump()
  }

  /** Sends the rest of a stream in another order. */
  prioritize(stream: SendingStream, priority: Priority): void {
    if (stream.isQueued) this.#queue.remove(stream)
    stream.priority = priority
    if (stream.isQueued) this.#queue.add(stream)
  }

  /** Nothing more of a stream is sent. */
  forget(stream: SendingStream): void {
    if (!stream.isQueued) return
    stream.isQueued = false
    this.#queue.remove(stream)
  }

  /** The client lets more through on the connection. @throws {ConnectionError} if that is more than can be */
  widen(bytes: number): void {
    if (this.window + bytes > MAX_WINDOW) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'A window of the connection above 2^31-1')
    }
    this.window += bytes
    this.pump()
  }

  /** Calls `onRoom` of the stream once the connection takes more. */
  awaitRoom(stream: SendingStream): void {
    this.#waiting.add(stream)
  }

  /** Sends as much as it can; to be called when the socket takes more. */
  pump(): void {
    // Whoever is at work may make room for other requests, whose listeners must not be taken for its own.
    if (!this.#isPumping && this.isBusy) runOutsideRequests(pump, this)
    this.writer.flushSoon()
  }

  onTurn(): void {
    this.#isResting = false
    this.pump()
  }

  /** `pump`, wherever it is called. */
  run(): void {
    this.#isPumping = true
    try {
      while (!this.isBlocked && this.window > 0 && this.#sendNext());
    } finally {
      this.#isPumping = false
    }
    if (this.#waiting.size > 0 && !this.isBlocked) this.#notifyWaiting()
  }

  /** Nothing will be sent any more, and those who wait for it are told. */
  end(error: Error): void {
    const waiting = this.#waiting
    this.#queue.clear()
    this.#waiting = new Set()
    for (const stream of waiting) stream.onLost(error)
  }

  /** Sends a frame of the stream whose turn it is. @returns Whether there was one */
  #sendNext(): boolean {
    const stream = this.#queue.take()
    if (stream === undefined) return false
    // Its window may have shrunk since, even below zero (RFC 9113 §6.9.2).
    if (stream.canSend) this.passed(stream.sendFrame(Math.min(this.window, DEFAULT_FRAME_BYTES)))
    stream.isQueued = stream.canSend
    if (stream.isQueued) this.#queue.add(stream)
    return true
  }

  #notifyWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const stream of waiting) stream.onRoom()
  }

  #takeShare(): void {
    this.#shareBytes = 0
    this.#isResting = !turns.take(this)
  }
}

function pump(sender: Sender): void {
  sender.run()
}
