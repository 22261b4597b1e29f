import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context, ResponseBody, SharedChunk } from '@fw/types'
import { Blockage } from './blockage.ts'
import { encodeEvent, requireMilliseconds, requireString, type ServerSentEvent } from './event.ts'
import { toData, type EventName, type Serializer, type SseEvents } from './typed-events.ts'
import { startHeartbeat, type HeartbeatWheel, type HeartbeatTarget } from './heartbeat.ts'
import { metrics, type StreamEnd } from './metrics.ts'
import type { StreamSettings } from './stream-options.ts'
import { pumpSource, type EventSourceOf } from './pump-source.ts'
import { endSoon } from './staggered-end.ts'
import type { StreamListener } from './stream-listener.ts'

/** A comment of nothing: four bytes that clients ignore and intermediaries see. */
const HEARTBEAT = Buffer.from(encodeEvent({ comment: '' }))

/** How long clients wait before they reconnect when the server closes, and up to how much longer. */
const DRAIN_RETRY_MS = 1000
const DRAIN_SPREAD_MS = 2000

/**
 * Writes, by all streams, after which one waits for the next turn of the event loop. A producer that waits for nothing
 * but a client that reads fast would keep the process from everything else, even from noticing that the client is gone.
 */
const WRITES_IN_A_ROW = 64

/** Streams open in this process. */
let openStreams = 0

let writesInARow = 0

/** What a stream needs to know of its exchange beside the body. */
export type StreamContext = Pick<Context<object>, 'onFinish' | 'onDrain' | 'protocol' | 'clientAddress'> & {
  readonly exchange?: Pick<Context['exchange'], 'remoteAddress' | 'remotePort'>
}

/**
 * A stream of server-sent events to one client.
 *
 * Every write sends its block at once, as one chunk, and resolves when the transport has taken it or the stream is
 * over. Once the stream is over, writes are without effect and never fail.
 */
export class SseStream<Events extends object = SseEvents> implements AsyncDisposable, HeartbeatTarget {
  // What a broadcast touches stands together at the front: with many streams none of it is in a cache of the processor.
  readonly #body: ResponseBody
  readonly #heartbeats: HeartbeatWheel | undefined
  /** @internal */
  beatTick = 0
  #events = 0
  /** The id after which the client wants to go on, or `null`. */
  readonly lastEventId: string | null
  readonly #settings: StreamSettings
  readonly #context: StreamContext
  /** @internal */
  beatSlot: Set<HeartbeatTarget> | undefined = undefined
  #isOver = false
  #controller: AbortController | undefined = undefined
  #closed: Promise<void> | undefined = undefined
  #resolveClosed: (() => void) | undefined = undefined
  #listeners: readonly StreamListener[] | undefined = undefined
  #blockage: Blockage | undefined = undefined

  /**
   * @param body The body of a response whose head says `text/event-stream`
   * @param context Tells when the exchange of that body is over, and when the server begins to close
   */
  constructor(body: ResponseBody, settings: StreamSettings, lastEventId: string | null, context: StreamContext) {
    this.#body = body
    this.#settings = settings
    this.#context = context
    this.lastEventId = lastEventId
    const { heartbeatMs } = settings
    this.#heartbeats = heartbeatMs > 0 && body.isOpen ? startHeartbeat(heartbeatMs, this) : undefined
    openStreams++
    if (metrics.open.hasSubscribers) metrics.open.publish({ protocol: context.protocol, open: openStreams })
    context.onFinish(({ aborted }) => this.#finish(aborted ? 'aborted' : 'closed'))
    context.onDrain(() => this.#drain())
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

  /** Resolves as soon as the stream is over, whoever ended it. */
  get closed(): Promise<void> {
    return (this.#closed ??= this.#isOver
      ? Promise.resolve()
      : new Promise((resolve) => (this.#resolveClosed = resolve)))
  }

  /** Bytes written that the transport has not taken yet. */
  get bufferedBytes(): number {
    return this.#body.bufferedBytes
  }

  /** Sends a named event. @throws {TypeError} as `send`, and if an argument is missing */
  async event(name: EventName<Events>, data: string): Promise<void> {
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
  async sendJson<Name extends EventName<Events>, Value extends Events[Name]>(
    name: Name,
    value: Value,
    serialize?: Serializer<Value>,
  ): Promise<void> {
    if (!this.isOpen()) return
    await this.#write(encodeEvent({ event: requireString('event', name), data: toData(value, serialize) }))
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
    let events = 0
    for (const block of blocks) {
      text += encodeEvent(block)
      events++
    }
    await this.#write(text, events)
  }

  /**
   * Sends what `source` yields, a string as data and an object as `send`, each after the one before was taken.
   *
   * Resolves when the source ends or the stream is over, even if the source has not answered by then. Its `return()`
   * is called as soon as the stream is over; an asynchronous generator hears of it at its next `yield`, so give it
   * `signal` if it waits for long.
   *
   * @throws as `send`, and whatever the source throws while the stream is open
   */
  async from(source: EventSourceOf): Promise<void> {
    await pumpSource(this, source)
  }

  /** Ends the stream after what was written; again is without effect. */
  close(): void {
    this.#end('closed')
  }

  /** Closes the stream and waits until the transport has taken everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    await this.#body.drained()
  }

  /**
   * Sends blocks that are encoded already.
   *
   * @internal
   * @param events How many blocks there are
   * @returns False if more is buffered than the transport takes: wait for `drained()`
   */
  write(chunk: Uint8Array, events: number): boolean {
    this.#count(events)
    return this.#body.write(chunk) || this.#wait()
  }

  /**
   * As `write`, for blocks that other streams send too.
   *
   * @internal
   */
  writeShared(chunk: SharedChunk, events: number): boolean {
    const body = this.#body
    this.#count(events)
    return (body.writeShared?.(chunk) ?? body.write(chunk.bytes)) || this.#wait()
  }

  /**
   * Resolves when the transport has taken everything written, or the stream is over; never rejects.
   *
   * @internal
   */
  drained(): Promise<void> {
    return this.#blockage?.over ?? Promise.resolve()
  }

  /**
   * Ends the stream so that the client comes back after a while.
   *
   * @internal
   */
  sendAway(reason: StreamEnd, retryMs: number): void {
    if (!this.isOpen()) return
    this.#letOthersFinish()
    this.#body.write(Buffer.from(encodeEvent({ retry: retryMs })))
    this.#end(reason)
  }

  /**
   * Ends the stream without what waits: the client would have to read all it did not read before it could notice.
   *
   * @internal
   */
  breakOff(): void {
    this.#finish('slow')
    this.#body.abort(new Error('The client of an event stream reads too slowly'))
  }

  /**
   * Who listens is told of the end, and before it and before every other write given a chance to write first.
   *
   * @internal
   */
  listen(listener: StreamListener): void {
    // Mostly there is one; an array that grew would take room for 17.
    this.#listeners = this.#listeners === undefined ? [listener] : [...this.#listeners, listener]
  }

  /** @internal */
  unlisten(listener: StreamListener): void {
    this.#listeners = this.#listeners?.filter((each) => each !== listener)
  }

  /**
   * Sends a sign of life.
   *
   * @internal
   */
  beat(): void {
    // A client that has bytes to read needs none.
    if (this.isOpen() && this.#body.bufferedBytes === 0) this.#body.write(HEARTBEAT)
  }

  /**
   * Bytes that the transport has taken so far.
   *
   * @internal
   */
  get takenBytes(): number {
    return this.#body.bodyBytes - this.#body.bufferedBytes
  }

  /** @internal */
  get clientAddress(): string | undefined {
    return this.#context.clientAddress
  }

  /**
   * The client's part of a connection that may have other streams; `undefined` if it has none.
   *
   * @internal
   */
  get session(): string | undefined {
    const { protocol, exchange } = this.#context
    if (protocol === 'HTTP/1.1') return undefined
    // A proxy that is trusted has many clients on one connection.
    return `${exchange?.remoteAddress} ${exchange?.remotePort} ${this.clientAddress}`
  }

  #count(events: number): void {
    if (this.#heartbeats !== undefined) this.beatTick = this.#heartbeats.tick
    this.#events += events
  }

  /** Sees to it that the client takes what waits. @returns False, as the write that has to wait for it */
  #wait(): boolean {
    if (this.#blockage !== undefined) this.#blockage.prolong()
    else {
      const onOver = (): void => void (this.#blockage = undefined)
      this.#blockage = new Blockage(this, this.#body, this.#settings.stallMs, onOver)
    }
    return false
  }

  async #write(text: string, events: number = 1): Promise<void> {
    if (!this.#send(text, events)) await this.drained()
    else if (++writesInARow >= WRITES_IN_A_ROW) {
      writesInARow = 0
      await nextTurn()
    }
  }

  /** @returns False if the client has to read first */
  #send(text: string, events: number): boolean {
    // An empty chunk would be the end of an HTTP/1.1 body.
    if (text === '') return true
    this.#letOthersWrite()
    // Lone surrogates become U+FFFD here.
    const chunk = Buffer.from(text)
    if (!this.#isTooSlowFor(chunk)) return this.write(chunk, events)
    if (this.#settings.slowConsumer === 'close') this.breakOff()
    return true
  }

  #isTooSlowFor(chunk: Uint8Array): boolean {
    if (this.#settings.slowConsumer === 'wait') return false
    const buffered = this.#body.bufferedBytes
    // A block that is larger than the whole buffer still goes to a client that keeps up.
    return buffered > 0 && buffered + chunk.byteLength > this.#settings.maxBufferedBytes
  }

  #letOthersWrite(): void {
    if (this.#listeners !== undefined) for (const listener of this.#listeners) listener.onTurn()
  }

  #letOthersFinish(): void {
    if (this.#listeners !== undefined) for (const listener of this.#listeners) listener.onEnding()
  }

  #end(reason: StreamEnd): void {
    if (this.isOpen()) this.#letOthersFinish()
    this.#finish(reason)
    this.#body.end()
  }

  #finish(reason: StreamEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    openStreams--
    this.#heartbeats?.remove(this)
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners !== undefined) for (const listener of listeners) listener.onEnd()
    this.#controller?.abort()
    this.#resolveClosed?.()
    if (metrics.close.hasSubscribers) {
      metrics.close.publish({ reason, events: this.#events, bytes: this.#body.bodyBytes, open: openStreams })
    }
  }

  /** Sends the client elsewhere: not all of them at the same moment, unless the application said when. */
  #drain(): void {
    const retryMs = this.#settings.retryMs ?? DRAIN_RETRY_MS + Math.floor(Math.random() * DRAIN_SPREAD_MS)
    const end = (): void => {
      if (this.isOpen()) this.sendAway('shutdown', retryMs)
    }
    const forget = endSoon(end)
    this.#context.onFinish(forget)
  }
}
