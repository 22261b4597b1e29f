import { randomBytes } from 'node:crypto'
import { checkOptions, func, integer, type OptionKinds, showValue, text } from '@fw/options'
import type { Context } from '@fw/types'
import { Admission } from './admission.ts'
import type { Backplane, DeliveredEvent } from '../backplane/backplane.ts'
import { broadcast, type Broadcast } from './broadcast.ts'
import { ChannelNotices } from './channel-notices.ts'
import { checkChannelOptions, type ChannelOptions, type ChannelSettings, type EventFilter } from './channel-options.ts'
import { encodeBlock, requireString } from '../stream/event.ts'
import { EventStream } from '../stream/event-stream.ts'
import type { SseStream } from '../stream/sse-stream.ts'
import { toData, type EventName, type SseEvents } from '../stream/typed-events.ts'
import { History, type ChannelEvent } from './history.ts'
import { STREAM_KINDS, streamSettings, type SseOptions } from '../stream/stream-options.ts'
import { openStream } from '../stream/open-stream.ts'
import { endSoon } from '../stream/staggered-end.ts'
import { Subscriber, type SubscriberHost } from './subscriber.ts'

/** How an event is published. */
export interface PublishOptions {
  /** Becomes the client's last event id. Default: one made by the channel. */
  readonly id?: string | undefined
  /** What 'latest-by-key' goes by. */
  readonly key?: string | undefined
}

/** How a stream subscribes. */
export interface SubscribeOptions {
  /** Chooses the events that this subscriber gets, also of those it missed. Default: all. */
  readonly filter?: EventFilter | undefined
}

/** How a channel is closed. */
export interface CloseChannelOptions {
  /** How long clients wait before they reconnect, in milliseconds. Default 1,000. */
  readonly retryMs?: number | undefined
  /** Up to how much longer, chosen at random for each. Default 2,000. */
  readonly spreadMs?: number | undefined
}

/** What a channel holds at the moment. */
export interface ChannelStats {
  readonly subscribers: number
  readonly keptEvents: number
  readonly keptBytes: number
}

const PUBLISH_KINDS: OptionKinds<PublishOptions> = { id: text, key: text }
const SUBSCRIBE_KINDS: OptionKinds<SubscribeOptions> = { filter: func }
const SERVE_KINDS: OptionKinds<SseOptions & SubscribeOptions> = { ...STREAM_KINDS, ...SUBSCRIBE_KINDS }
const CLOSE_KINDS: OptionKinds<CloseChannelOptions> = { retryMs: integer(0), spreadMs: integer(0) }

/**
 * Gives each event to many streams, encoded once, and to clients that come back what they missed.
 *
 * The events of one turn of the event loop leave in one write. Without a backplane a channel ends at its process.
 *
 * @example
 * const orders = new SseChannel<{ order: Order }>({ history: 10_000 })
 * router.get('/orders', (ctx) => orders.serve(ctx))
 * orders.publish('order', { id: 7, total: 12 })
 */
export class SseChannel<Events extends object = SseEvents> implements AsyncDisposable {
  readonly #serializers: ChannelOptions<Events>['serializers']
  readonly #settings: ChannelSettings
  readonly #notices: ChannelNotices<Events>
  readonly #history: History
  readonly #admission: Admission
  readonly #backplane: Backplane | undefined
  readonly #subscribers = new Map<EventStream, Subscriber>()
  /** Begins every id made here, so that a restart shows. */
  readonly #epoch: string = Date.now().toString(36) + randomBytes(3).toString('hex')
  /** Resolves when the history holds what the backplane has stored; `undefined` once it does. */
  #ready: Promise<void> | undefined = undefined
  /** Events of this turn that the subscribers have yet to get. */
  #pending: ChannelEvent[] = []
  #flushing: NodeJS.Immediate | undefined = undefined
  #isDelivering = false
  #isClosed = false

  readonly #host: SubscriberHost

  /** @throws {TypeError | RangeError} if an option is unknown or out of range */
  constructor(options: ChannelOptions<NoInfer<Events>> = {}) {
    this.#settings = checkChannelOptions(options)
    this.#serializers = options.serializers
    this.#notices = new ChannelNotices(this.#settings.name, options)
    const { history, slowConsumer, maxBufferedBytes } = this.#settings
    this.#history = new History(history)
    this.#admission = new Admission(this.#settings)
    this.#host = {
      history: this.#history,
      slowConsumer,
      maxBufferedBytes,
      flush: () => this.#flush(),
      onSlow: ({ stream }, bufferedBytes) => this.#notices.slow(stream, bufferedBytes),
      onDrop: ({ stream }, events) => this.#notices.dropped(stream, events),
      onEnd: (subscriber) => this.#leave(subscriber),
    }
    this.#backplane = options.backplane
    this.#ready = this.#backplane
      ?.open({
        historyCount: history.maxEvents,
        historyBytes: history.maxBytes,
        deliver: (event) => this.#add(event.event, event.data, event.id, event.key, event),
        missed: () => this.#onMissed(),
        kept: () => this.#kept(),
      })
      .then(() => void (this.#ready = undefined))
  }

  /** How many streams are on the channel, and what is kept for those that come back. */
  get stats(): ChannelStats {
    const { length, bytes } = this.#history
    return { subscribers: this.#subscribers.size, keptEvents: length, keptBytes: bytes }
  }

  /**
   * Gives an event to all subscribers, and keeps it for those that come back.
   *
   * @param value Text is sent as it is, anything else as JSON
   * @throws {TypeError} as `SseStream.send`, and if the value has no JSON form; nothing is sent
   * @throws {Error} if the channel is closed, or if too many events wait for the backplane
   */
  publish<Name extends EventName<Events>>(name: Name, value: Events[Name], options: PublishOptions = {}): void {
    if (this.#isClosed) throw new Error('Cannot publish: the channel is closed')
    const { id, key } = options
    if (!isTextIfGiven(id) || !isTextIfGiven(key)) checkOptions('channel.publish', options, PUBLISH_KINDS)
    const event = requireString('channel.publish', 'name', name)
    const data = typeof value === 'string' ? value : toData('channel.publish', value, this.#serializers?.[name])
    if (this.#backplane === undefined) {
      this.#add(event, data, id ?? `${this.#epoch}-${this.#history.nextSeq}`, key)
      return
    }
    // An event that cannot be sent must fail here, where the caller sees the error.
    encodeBlock('channel.publish', { event, id, data })
    this.#backplane.publish({ event, data, id, key })
  }

  /**
   * Gives a stream what the channel keeps after its `lastEventId`, then everything that is published, each event once.
   *
   * A stream over one of the limits is sent away: it ends after a `retry` block, and an `EventSource` comes back.
   *
   * @throws {TypeError} if `stream` was not opened by `sse()` of this copy of the package, or `filter` is not a function
   */
  subscribe(stream: SseStream<Events>, options?: SubscribeOptions): void {
    if (options !== undefined) checkOptions('channel.subscribe', options, SUBSCRIBE_KINDS)
    const any = asEventStream(stream)
    if (!any.isOpen() || this.#subscribers.has(any)) return
    if (this.#isClosed) return any.sendAway('shutdown', this.#refusedRetryMs())
    const counted = this.#admission.enter(any)
    if (typeof counted === 'string') {
      this.#notices.refused(counted)
      return any.sendAway('refused', this.#refusedRetryMs())
    }
    const subscriber = new Subscriber(any, this.#host, options?.filter, counted)
    this.#subscribers.set(any, subscriber)
    any.listen(subscriber)
    if (this.#backplane === undefined) this.#start(subscriber, this.#placeOf(any.lastEventId))
    else void this.#startBehind(this.#backplane, subscriber)
  }

  /** Takes a stream off the channel; it stays open. */
  unsubscribe(stream: SseStream<Events>): void {
    const subscriber = this.#subscribers.get(stream as unknown as EventStream)
    if (subscriber === undefined) return
    subscriber.onEnding()
    subscriber.stream.unlisten(subscriber)
    subscriber.onEnd()
  }

  /**
   * Answers a request by a stream on this channel. Resolves when the stream is over.
   *
   * @throws as `sse`
   */
  // No asynchronous function: for each stream its frame would be kept as long as the stream is open.
  serve(ctx: Context<object>, options?: SseOptions & SubscribeOptions): Promise<void> {
    try {
      const stream = openStream<Events>(ctx, streamSettings('channel.serve', options, SERVE_KINDS))
      const filter = options?.filter
      this.subscribe(stream, filter && { filter })
      return stream.closed
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * Sends every subscriber away, the first ones at once, many of them over a while, and gives back what the backplane
   * holds. Resolves when all of it is done.
   */
  async close(options: CloseChannelOptions = {}): Promise<void> {
    checkOptions('channel.close', options, CLOSE_KINDS)
    const { retryMs = 1000, spreadMs = 2000 } = options
    this.#flush()
    this.#isClosed = true
    if (this.#isDelivering) {
      // A filter closes it: others have yet to get the events of this turn, and nobody has those published meanwhile.
      await Promise.resolve()
      this.#flush()
    }
    const ends = [...this.#subscribers.keys()].map(
      (stream) =>
        new Promise<void>((resolve) => {
          endSoon(() => {
            stream.sendAway('shutdown', retryMs + Math.floor(Math.random() * spreadMs))
            resolve()
          })
        }),
    )
    await Promise.all([...ends, this.#backplane?.close()])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @param delivered The event as the backplane has it, if it comes from there */
  #add(event: string, data: string, givenId: string, key: string | undefined, delivered?: DeliveredEvent): void {
    // As clients send it back.
    const api = delivered === undefined ? 'channel.publish' : 'host.deliver'
    const id = requireString(api, 'id', givenId).toWellFormed()
    const wire = ownBytes(encodeBlock(api, { event, id, data }))
    const nowMs = Date.now()
    // The clocks of two machines differ: nothing comes from the future.
    const timeMs = Math.min(delivered?.timeMs ?? nowMs, nowMs)
    const position = delivered?.position
    const added = { seq: this.#history.nextSeq, id, event, data, key, wire, timeMs, position }
    this.#history.add(added)
    if (this.#subscribers.size === 0) return
    this.#pending.push(added)
    // Behind all that this turn still brings, so that its events leave together.
    this.#flushing ??= setImmediate(() => this.#flush())
  }

  #flush(): void {
    const events = this.#pending
    // What callbacks publish on the way has its own turn: not everybody has these events yet.
    if (events.length === 0 || this.#isDelivering) return
    this.#pending = []
    clearImmediate(this.#flushing)
    this.#flushing = undefined
    let given: Broadcast
    this.#isDelivering = true
    try {
      given = broadcast(this.#subscribers.values(), events)
    } finally {
      this.#isDelivering = false
    }
    // Whoever listens may publish, or end streams, which first get what waits.
    this.#notices.broadcast(given, this.#subscribers.size)
  }

  /** Place after the event of that id, the end without an id; `undefined` if the id is unknown. */
  #placeOf(lastEventId: string | null): number | undefined {
    if (lastEventId === null) return this.#history.nextSeq
    this.#history.expire(Date.now())
    return this.#history.after(lastEventId)
  }

  #start(subscriber: Subscriber, place: number | undefined): void {
    if (place === undefined) this.#notices.gap(subscriber.stream, subscriber.stream.lastEventId)
    subscriber.start(place ?? this.#history.firstSeq)
  }

  /** The client may know more than this process: it comes from another one. */
  async #startBehind(backplane: Backplane, subscriber: Subscriber): Promise<void> {
    const { stream } = subscriber
    const sinceMs = Date.now()
    try {
      let place: number | undefined
      if (this.#ready !== undefined) {
        await this.#ready
        // Others have published since it came, and this process has only now heard of that.
        if (stream.lastEventId === null) place = this.#history.since(sinceMs)
      }
      place ??= this.#placeOf(stream.lastEventId)
      if (place === undefined) {
        await backplane.catchUp()
        place = this.#placeOf(stream.lastEventId)
      }
      if (this.#subscribers.get(stream) === subscriber) this.#start(subscriber, place)
    } catch {
      // The backplane was closed, and says so to everybody who waits for it.
      stream.sendAway('shutdown', this.#refusedRetryMs())
    }
  }

  #leave(subscriber: Subscriber): void {
    if (this.#subscribers.delete(subscriber.stream)) this.#admission.leave(subscriber.counted)
  }

  #refusedRetryMs(): number {
    const { refusedRetryMs } = this.#settings
    return refusedRetryMs + Math.floor(Math.random() * refusedRetryMs)
  }

  /** What is kept no longer leads up to what comes. */
  #onMissed(): void {
    this.#flush()
    this.#history.clear()
    for (const { stream } of this.#subscribers.values()) this.#notices.gap(stream, null)
  }

  *#kept(): Generator<DeliveredEvent> {
    const { firstSeq, nextSeq } = this.#history
    for (let seq = firstSeq; seq < nextSeq; seq++) {
      const kept = this.#history.at(seq)
      if (kept?.position === undefined) continue
      const { event, data, id, key, position, timeMs } = kept
      yield { event, data, id, key, position, timeMs }
    }
  }
}

/** @throws {TypeError} if a stream is not one of this copy of the package, whose members a channel needs */
function asEventStream(stream: object): EventStream {
  if (stream instanceof EventStream) return stream
  const fix = 'Use the result of sse(), and install @fw/sse only once.'
  throw new TypeError(`channel.subscribe: stream must be a stream of sse(), got ${showValue(stream)}. ${fix}`)
}

function isTextIfGiven(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

/** UTF-8 in memory of its own: a piece of the pool of Node.js would keep 64 KiB of it as long as the event is kept. */
function ownBytes(block: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(block))
  bytes.write(block)
  return bytes
}
