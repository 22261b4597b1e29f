import type { Context, ResponseBody } from '@fw/types'
import { encodeEvent, requireMilliseconds, requireString, type ServerSentEvent } from './event.ts'
import { startHeartbeat, type Heartbeat } from './heartbeat.ts'
import type { StreamSettings } from './options.ts'

/** A comment of nothing: four octets that clients ignore and intermediaries see. */
const HEARTBEAT = Buffer.from(encodeEvent({ comment: '' }))

/** How long clients wait before they reconnect when the server closes, and up to how much longer. */
const DRAIN_RETRY_MS = 1000
const DRAIN_SPREAD_MS = 2000

/**
 * A stream of server-sent events to one client.
 *
 * Every write sends its block at once, as one chunk, and resolves when the transport has taken it or the stream is
 * over. Once the stream is over, writes are without effect and never fail.
 */
export class SseStream implements AsyncDisposable {
  /** The id after which the client wants to go on, or `null`. */
  readonly lastEventId: string | null
  readonly #body: ResponseBody
  readonly #settings: StreamSettings
  readonly #heartbeat: Heartbeat | undefined
  #isOver = false
  #controller: AbortController | undefined = undefined

  /**
   * @param body The body of an answer whose head says `text/event-stream`
   * @param exchange Tells when the exchange of that body is over, and when the server begins to close
   */
  constructor(
    body: ResponseBody,
    settings: StreamSettings,
    lastEventId: string | null,
    exchange: Pick<Context<object>, 'onFinish' | 'onDrain'>,
  ) {
    this.#body = body
    this.#settings = settings
    this.lastEventId = lastEventId
    const { heartbeatMs } = settings
    this.#heartbeat = heartbeatMs > 0 && body.isOpen ? startHeartbeat(heartbeatMs, () => this.#beat()) : undefined
    exchange.onFinish(() => this.#finish())
    exchange.onDrain(() => this.#drain())
  }

  /** Whether what is written can still reach the client. */
  isOpen(): boolean {
    return !this.#isOver && this.#body.isOpen
  }

  /** Aborts as soon as the stream is over, whoever ended it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#isOver) this.#controller.abort()
    }
    return this.#controller.signal
  }

  /** Octets written that the transport has not taken yet. */
  get bufferedBytes(): number {
    return this.#body.bufferedBytes
  }

  /** Sends a named event. @throws {TypeError} as `send`, and if an argument is missing */
  async event(name: string, data: string): Promise<void> {
    if (!this.isOpen()) return
    await this.#write(encodeEvent({ event: requireString('event', name), data: requireString('data', data) }))
  }

  /** Sends an event without a name. @throws {TypeError} if `text` is no string */
  async data(text: string): Promise<void> {
    if (!this.isOpen()) return
    await this.#write(encodeEvent({ data: requireString('data', text) }))
  }

  /**
   * Sends a named event whose data is `value` as JSON.
   *
   * @param serialize Replaces `JSON.stringify`, for example by a function compiled from a schema
   * @throws {TypeError} as `event`, and if the value has no JSON form
   */
  async sendJson<T>(name: string, value: T, serialize: (value: T) => string = JSON.stringify): Promise<void> {
    if (!this.isOpen()) return
    await this.#write(encodeEvent({ event: requireString('event', name), data: toJson(value, serialize) }))
  }

  /** Sends a comment, which clients ignore. @throws {TypeError} if `text` is no string */
  async comment(text: string): Promise<void> {
    if (!this.isOpen()) return
    await this.#write(encodeEvent({ comment: requireString('comment', text) }))
  }

  /** Tells the client how long to wait before it reconnects. @throws {RangeError} if `ms` is no safe integer or below 0 */
  async retry(ms: number): Promise<void> {
    if (!this.isOpen()) return
    await this.#write(encodeEvent({ retry: requireMilliseconds('retry', ms) }))
  }

  /** Sends one block. @throws {TypeError | RangeError} as `encodeEvent`, before anything is written */
  async send(block: ServerSentEvent): Promise<void> {
    if (!this.isOpen()) return
    await this.#write(encodeEvent(block))
  }

  /** Sends several blocks in one write: all of them, or none if one is refused. @throws as `send` */
  async sendMany(blocks: Iterable<ServerSentEvent>): Promise<void> {
    if (!this.isOpen()) return
    let text = ''
    for (const block of blocks) text += encodeEvent(block)
    await this.#write(text)
  }

  /**
   * Sends what `source` yields, a string as data and an object as `send`, each after the one before was taken.
   *
   * Resolves when the source ends or the stream is over, even if the source has not answered by then; it is told to
   * stop at its next value. Give it `signal` to stop it sooner.
   *
   * @throws as `send`, and whatever the source throws
   */
  from(source: AsyncIterable<string | ServerSentEvent> | Iterable<string | ServerSentEvent>): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = this
      const stop = (): void => resolve()
      signal.addEventListener('abort', stop, { once: true })
      this.#pump(source)
        .finally(() => signal.removeEventListener('abort', stop))
        .then(resolve, reject)
    })
  }

  /** Ends the stream after what was written; again is without effect. */
  close(): void {
    this.#finish()
    this.#body.end()
  }

  /** Closes the stream and waits until the transport has taken everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    await this.#body.drained()
  }

  async #pump(source: AsyncIterable<string | ServerSentEvent> | Iterable<string | ServerSentEvent>): Promise<void> {
    if (!this.isOpen()) return
    for await (const item of source) {
      if (!this.isOpen()) return
      await (typeof item === 'string' ? this.data(item) : this.send(item))
    }
  }

  async #write(text: string): Promise<void> {
    // An empty chunk would be the end of an HTTP/1.1 body.
    if (text === '') return
    // Lone surrogates become U+FFFD here.
    const chunk = Buffer.from(text)
    if (this.#isTooSlowFor(chunk)) {
      if (this.#settings.slowConsumer === 'close') this.#breakOff()
      return
    }
    this.#heartbeat?.postpone()
    if (!this.#body.write(chunk)) await this.#body.drained()
  }

  #isTooSlowFor(chunk: Uint8Array): boolean {
    if (this.#settings.slowConsumer === 'wait') return false
    const buffered = this.#body.bufferedBytes
    // A block that is larger than the whole buffer still goes to a client that keeps up.
    return buffered > 0 && buffered + chunk.byteLength > this.#settings.maxBufferedBytes
  }

  /** Not `end()`: the client would have to read all it did not read before it could notice. */
  #breakOff(): void {
    this.#finish()
    this.#body.abort(new Error('The client of an event stream reads too slowly'))
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#heartbeat?.stop()
    this.#controller?.abort()
  }

  /** Sends the client elsewhere: not all of them at the same moment, unless the application said when. */
  #drain(): void {
    const retry = this.#settings.retryMs ?? DRAIN_RETRY_MS + Math.floor(Math.random() * DRAIN_SPREAD_MS)
    if (this.isOpen()) this.#body.write(Buffer.from(encodeEvent({ retry })))
    this.close()
  }

  #beat(): void {
    // A client that has octets to read needs no sign of life.
    if (this.isOpen() && this.#body.bufferedBytes === 0) this.#body.write(HEARTBEAT)
  }
}

function toJson<T>(value: T, serialize: (value: T) => unknown): string {
  const text = serialize(value)
  if (typeof text !== 'string') throw new TypeError('Cannot encode event: the value has no JSON form')
  return text
}
