import { setImmediate as nextTurn } from 'node:timers/promises'
import { withCode } from '@fw/options'
import type { Context, ResponseBody, SharedChunk } from '@fw/types'
import { Blockage } from './blockage.ts'
import { encodeBlock, encodeEvent, requireMilliseconds, requireString, type ServerSentEvent } from './event.ts'
import { toData, type EventName, type Serializer, type SseEvents } from './typed-events.ts'
import { startHeartbeat, type HeartbeatWheel, type HeartbeatTarget } from './heartbeat.ts'
import { metrics, type StreamEnd } from './metrics.ts'
import type { StreamSettings } from './stream-options.ts'
import { pumpSource, type EventSourceOf } from './pump-source.ts'
import type { SseStream } from './sse-stream.ts'
import { endSoon } from './staggered-end.ts'
import type { StreamListener } from './stream-listener.ts'

/** An empty comment. Clients ignore it, and it keeps proxies from closing the connection. */
const HEARTBEAT = Buffer.from(encodeEvent({ comment: '' }))

/** Reconnection time that a closing server sends: `DRAIN_RETRY_MS` plus a random part of `DRAIN_SPREAD_MS`. */
const DRAIN_RETRY_MS = 1000
const DRAIN_SPREAD_MS = 2000

/**
 * Number of writes on all streams after which a write waits for the next event-loop turn. Otherwise, a producer with a
 * fast client would block the event loop, and even a disconnect would go undetected.
 */
const WRITES_IN_A_ROW = 64

/** Number of open streams in this process. */
let openStreams = 0

let writesInARow = 0

/** The parts of the context that a stream uses, in addition to the body. */
export type StreamContext = Pick<Context<object>, 'onFinish' | 'onDrain' | 'protocol' | 'clientAddress'> & {
  readonly exchange?: Pick<Context['exchange'], 'remoteAddress' | 'remotePort'>
}

/** The stream that `sse()` opens, with the members that channels and timers use. */
// docs/decisions/0064
export class EventStream<Events extends object = SseEvents> implements SseStream<Events>, HeartbeatTarget {
  // Fields that a broadcast uses come first, because adjacent fields share cache lines. With many streams, none of these fields
  // is in a CPU cache.
  readonly #body: ResponseBody
  readonly #heartbeats: HeartbeatWheel | undefined
  beatTick = 0
  #events = 0
  readonly lastEventId: string | null
  readonly #settings: StreamSettings
  readonly #context: StreamContext
  beatSlot: Set<HeartbeatTarget> | undefined = undefined
  #isOver = false
  #controller: AbortController | undefined = undefined
  #closed: Promise<void> | undefined = undefined
  #resolveClosed: (() => void) | undefined = undefined
  #listeners: readonly StreamListener[] | undefined = undefined
  #blockage: Blockage | undefined = undefined

  /**
   * @param body Body of a response with the type `text/event-stream`
   * @param context Reports the end of the request and the start of a server shutdown
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

  isOpen(): boolean {
    return !this.#isOver && this.#body.isOpen
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#isOver) this.#controller.abort()
    }
    return this.#controller.signal
  }

  get closed(): Promise<void> {
    return (this.#closed ??= this.#isOver
      ? Promise.resolve()
      : new Promise((resolve) => (this.#resolveClosed = resolve)))
  }

  get bufferedBytes(): number {
    return this.#body.bufferedBytes
  }

  async event(name: EventName<Events>, data: string): Promise<void> {
    if (!this.isOpen()) return
    const event = requireString('stream.event', 'name', name)
    return this.#write(encodeBlock('stream.event', { event, data: requireString('stream.event', 'data', data) }))
  }

  async data(text: string): Promise<void> {
    if (!this.isOpen()) return
    return this.#write(encodeBlock('stream.data', { data: requireString('stream.data', 'text', text) }))
  }

  async sendJson<Name extends EventName<Events>, Value extends Events[Name]>(
    name: Name,
    value: Value,
    serialize?: Serializer<Value>,
  ): Promise<void> {
    if (!this.isOpen()) return
    const event = requireString('stream.sendJson', 'name', name)
    return this.#write(encodeBlock('stream.sendJson', { event, data: toData('stream.sendJson', value, serialize) }))
  }

  async comment(text: string): Promise<void> {
    if (!this.isOpen()) return
    return this.#write(encodeBlock('stream.comment', { comment: requireString('stream.comment', 'text', text) }))
  }

  async retry(ms: number): Promise<void> {
    if (!this.isOpen()) return
    return this.#write(encodeBlock('stream.retry', { retry: requireMilliseconds('stream.retry', 'ms', ms) }))
  }

  async send(block: ServerSentEvent): Promise<void> {
    if (!this.isOpen()) return
    return this.#write(encodeBlock('stream.send', block))
  }

  async sendMany(blocks: Iterable<ServerSentEvent>): Promise<void> {
    if (!this.isOpen()) return
    let text = ''
    let events = 0
    for (const block of blocks) {
      text += encodeBlock('stream.sendMany', block)
      events++
    }
    return this.#write(text, events)
  }

  async from(source: EventSourceOf): Promise<void> {
    await pumpSource(this, source)
  }

  close(): void {
    this.#end('closed')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    await this.#body.drained()
  }

  /**
   * Sends encoded blocks.
   * @param events Number of blocks
   * @returns False if the transport buffers more than its limit: wait for `drained()`
   */
  write(chunk: Uint8Array, events: number): boolean {
    this.#count(events)
    return this.#body.write(chunk) || this.#wait()
  }

  /** Like `write`, but for encoded blocks that several streams share. */
  writeShared(chunk: SharedChunk, events: number): boolean {
    const body = this.#body
    this.#count(events)
    return (body.writeShared?.(chunk) ?? body.write(chunk.bytes)) || this.#wait()
  }

  /** Resolves when the transport has accepted all bytes or the stream has ended. Never rejects. */
  drained(): Promise<void> {
    return this.#blockage?.over ?? Promise.resolve()
  }

  /** Ends the stream and makes the client reconnect after `retryMs`. */
  sendAway(reason: StreamEnd, retryMs: number): void {
    if (!this.isOpen()) return
    this.#letOthersFinish()
    this.#body.write(Buffer.from(encodeEvent({ retry: retryMs })))
    this.#end(reason)
  }

  /** Aborts the stream and discards its buffered bytes, because a client that does not read would never reach the end. */
  breakOff(): void {
    this.#finish('slow')
    this.#body.abort(withCode('FW_SLOW_CLIENT', new Error('The client of an event stream is reading too slowly')))
  }

  /**
   * Notifies `listener` before each write by other code and before the stream ends, so that the listener can write
   * first.
   */
  listen(listener: StreamListener): void {
    // Most streams have one listener. A growing array would reserve space for 17 listeners.
    this.#listeners = this.#listeners === undefined ? [listener] : [...this.#listeners, listener]
  }

  unlisten(listener: StreamListener): void {
    this.#listeners = this.#listeners?.filter((each) => each !== listener)
  }

  /** Sends an empty comment, so that intermediaries keep the connection open. */
  beat(): void {
    // Buffered bytes already keep the connection open.
    if (this.isOpen() && this.#body.bufferedBytes === 0) this.#body.write(HEARTBEAT)
  }

  /** Number of bytes that the transport has accepted so far. */
  get takenBytes(): number {
    return this.#body.bodyBytes - this.#body.bufferedBytes
  }

  get clientAddress(): string | undefined {
    return this.#context.clientAddress
  }

  /** Identifies the client of a connection that several streams can share; `undefined` on HTTP/1.1. */
  get session(): string | undefined {
    const { protocol, exchange } = this.#context
    if (protocol === 'HTTP/1.1') return undefined
    // A trusted proxy can send requests from many clients on one connection.
    return `${exchange?.remoteAddress} ${exchange?.remotePort} ${this.clientAddress}`
  }

  #count(events: number): void {
    if (this.#heartbeats !== undefined) this.beatTick = this.#heartbeats.tick
    this.#events += events
  }

  /** Starts waiting for the client to read. Always returns false, the result of a write that must wait. */
  #wait(): boolean {
    if (this.#blockage !== undefined) this.#blockage.prolong()
    else {
      const onOver = (): void => void (this.#blockage = undefined)
      this.#blockage = new Blockage(this, this.#body, this.#settings.stallTimeoutMs, onOver)
    }
    return false
  }

  /**
   * Writes blocks. Not async, because the frame of an async function would keep the text in memory until the client
   * has read the bytes.
   */
  #write(text: string, events: number = 1): Promise<void> {
    if (!this.#send(text, events)) return this.drained()
    if (++writesInARow < WRITES_IN_A_ROW) return Promise.resolve()
    writesInARow = 0
    return nextTurn()
  }

  /** Returns false if the caller must wait until the client reads. */
  #send(text: string, events: number): boolean {
    // An empty chunk would end an HTTP/1.1 body.
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
    // A client that reads everything still receives a block larger than the limit.
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

  /** Makes the client reconnect to another server, at a random time unless the option `retryMs` is set. */
  #drain(): void {
    const retryMs = this.#settings.retryMs ?? DRAIN_RETRY_MS + Math.floor(Math.random() * DRAIN_SPREAD_MS)
    const end = (): void => {
      if (this.isOpen()) this.sendAway('shutdown', retryMs)
    }
    const forget = endSoon(end)
    this.#context.onFinish(forget)
  }
}
