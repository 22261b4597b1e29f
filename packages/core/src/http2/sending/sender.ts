import { runOutsideRequests } from '../../engine/event-loop/outside-requests.ts'
import type { Priority } from '../../engine/fields/priority.ts'
import { turns, type TurnTaker } from '../../engine/event-loop/turns.ts'
import { ConnectionError, ErrorCode } from '../errors.ts'
import type { FrameWriter } from './frame-writer.ts'
import { DEFAULT_FRAME_BYTES, DEFAULT_WINDOW, MAX_WINDOW } from '../frames/frame-types.ts'
import { SendQueue } from './send-queue.ts'

/** Body bytes that count as one share of an event-loop turn. */
const SHARE_BYTES = 64 * 1024

/** A stream that has data to send or is waiting for room. */
export interface SendingStream {
  /** Stream identifier. */
  readonly id: number
  priority: Priority
  /** Whether the stream has data and its own window is open. */
  readonly canSend: boolean
  /** Whether the stream is queued for its turn. */
  isQueued: boolean
  /** Sends one DATA frame. @returns Body bytes in the frame, at most `maxBytes` */
  sendFrame(maxBytes: number): number
  /** Called when the connection has room again. */
  onRoom(): void
  /** Called when the connection has ended. */
  onLost(error: Error): void
}

/**
 * Sends the queued streams of a connection frame by frame, while the connection's window is open and the socket
 * accepts bytes. Does not queue a stream whose own window is closed, so that it never blocks less urgent streams.
 *
 * @see RFC 9113 §5.2, §6.9
 */
export class Sender implements TurnTaker {
  /** The connection's flow-control window, in bytes. */
  window: number = DEFAULT_WINDOW
  /** Body bytes sent so far. */
  sentBytes = 0
  readonly writer: FrameWriter
  readonly #queue = new SendQueue<SendingStream>()
  /** Streams to notify when the connection has room. */
  #waiting = new Set<SendingStream>()
  #shareBytes = 0
  #isResting = false
  #isPumping = false

  constructor(writer: FrameWriter) {
    this.writer = writer
  }

  /** Whether any stream is waiting for its turn, for the socket or for the connection's window. */
  get isBusy(): boolean {
    return this.#queue.size > 0 || this.#waiting.size > 0
  }

  /** Whether sending is paused, by a full socket or until this connection's next turn. */
  get isBlocked(): boolean {
    return this.#isResting || this.writer.isBlocked
  }

  /** Reports whether a stream may send `bytes` immediately, without overtaking queued streams. */
  mayPass(bytes: number): boolean {
    return bytes <= this.window && this.#queue.size === 0 && !this.isBlocked
  }

  /** Counts sent body bytes. */
  passed(bytes: number): void {
    this.window -= bytes
    this.sentBytes += bytes
    this.#shareBytes += bytes
    if (this.#shareBytes >= SHARE_BYTES) this.#takeShare()
  }

  /** Queues the data of a stream, and sends as much as possible now. */
  enqueue(stream: SendingStream): void {
    if (!stream.isQueued && stream.canSend) {
      stream.isQueued = true
      this.#queue.add(stream)
    }
    this.pump()
  }

  /** Changes the priority of a stream for the frames that are not yet sent. */
  prioritize(stream: SendingStream, priority: Priority): void {
    if (stream.isQueued) this.#queue.remove(stream)
    stream.priority = priority
    if (stream.isQueued) this.#queue.add(stream)
  }

  /** Removes a stream from the queue. */
  forget(stream: SendingStream): void {
    if (!stream.isQueued) return
    stream.isQueued = false
    this.#queue.remove(stream)
  }

  /** Widens the connection's window. @throws {ConnectionError} FLOW_CONTROL_ERROR if the window exceeds 2^31-1 */
  widen(bytes: number): void {
    if (this.window + bytes > MAX_WINDOW) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, 'Connection window above 2^31-1')
    }
    this.window += bytes
    this.pump()
  }

  /** Calls `onRoom` of the stream once the connection has room. */
  awaitRoom(stream: SendingStream): void {
    this.#waiting.add(stream)
  }

  /** Sends as much as possible. Call this when the socket accepts more bytes. */
  pump(): void {
    // Callbacks of other requests must not run in the async context of the request that made room.
    if (!this.#isPumping && this.isBusy) runOutsideRequests(pump, this)
    this.writer.flushSoon()
  }

  onTurn(): void {
    this.#isResting = false
    this.pump()
  }

  /** Sends frames and notifies waiting streams. Called by `pump` only. */
  run(): void {
    this.#isPumping = true
    try {
      while (!this.isBlocked && this.window > 0 && this.#sendNext());
    } finally {
      this.#isPumping = false
    }
    if (this.#waiting.size > 0 && !this.isBlocked) this.#notifyWaiting()
  }

  /** Clears the queue and notifies the waiting streams, because the connection has ended. */
  end(error: Error): void {
    const waiting = this.#waiting
    this.#queue.clear()
    this.#waiting = new Set()
    for (const stream of waiting) stream.onLost(error)
  }

  /** Sends one frame of the next stream. @returns `false` if the queue is empty */
  #sendNext(): boolean {
    const stream = this.#queue.take()
    if (stream === undefined) return false
    // SETTINGS can have reduced the stream's window, even below zero (RFC 9113 §6.9.2).
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
