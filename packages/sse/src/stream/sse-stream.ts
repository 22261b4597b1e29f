import type { ServerSentEvent } from './event.ts'
import type { EventSourceOf } from './pump-source.ts'
import type { EventName, Serializer, SseEvents } from './typed-events.ts'

/**
 * A stream of server-sent events to one client, returned by `sse()`.
 *
 * Each write sends its block immediately, as one chunk. Its promise resolves when the transport has accepted the block
 * or the stream is over. After that, writes have no effect and never fail.
 */
export interface SseStream<Events extends object = SseEvents> extends AsyncDisposable {
  /** The last event ID that a reconnecting client sent, or `null`. */
  readonly lastEventId: string | null
  /** Aborts when the stream has ended for any reason. */
  readonly signal: AbortSignal
  /** Resolves when the stream has ended for any reason. Never rejects. */
  readonly closed: Promise<void>
  /** Number of written bytes that the transport has not accepted yet. */
  readonly bufferedBytes: number

  /** Reports whether writes can still reach the client. */
  isOpen(): boolean

  /** Sends a named event. @throws {TypeError} like `send`, and if an argument is missing */
  event(name: EventName<Events>, data: string): Promise<void>

  /** Sends an event without a name. @throws {TypeError} if `text` is not a string */
  data(text: string): Promise<void>

  /**
   * Sends a named event whose data is `value` as JSON.
   *
   * @param serialize Replaces `JSON.stringify`, for example with a function compiled from a schema
   * @throws {TypeError} like `event`, and if the value has no JSON form
   */
  sendJson<Name extends EventName<Events>, Value extends Events[Name]>(
    name: Name,
    value: Value,
    serialize?: Serializer<Value>,
  ): Promise<void>

  /** Sends a comment, which clients ignore. @throws {TypeError} if `text` is not a string */
  comment(text: string): Promise<void>

  /**
   * Sends the number of milliseconds that the client waits before it reconnects.
   *
   * @throws {TypeError | RangeError} if `ms` is not a safe integer of at least 0
   */
  retry(ms: number): Promise<void>

  /** Sends one block. @throws {TypeError | RangeError} like `encodeEvent`, before anything is written */
  send(block: ServerSentEvent): Promise<void>

  /** Sends several blocks in one write. If one is invalid, none is sent. @throws like `send` */
  sendMany(blocks: Iterable<ServerSentEvent>): Promise<void>

  /**
   * Sends each value of `source`: a string with `data`, an object with `send`. Waits for each write before the next.
   *
   * Resolves when the source or the stream ends, even if the source is still waiting. When the stream ends, the
   * source's `return()` is called. An async generator can react only at its next `yield`, so pass `signal` to long
   * waits.
   *
   * @throws like `send`, and any error from the source while the stream is open
   */
  from(source: EventSourceOf): Promise<void>

  /** Ends the stream after the bytes already written. Has no effect on a closed stream. */
  close(): void

  /** Closes the stream and waits until the transport has accepted all bytes. */
  [Symbol.asyncDispose](): Promise<void>
}
