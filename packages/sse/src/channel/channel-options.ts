import type { Backplane } from '../backplane/backplane.ts'
import type { SseStream } from '../stream/sse-stream.ts'
import type { SseEvents, Serializers } from '../stream/typed-events.ts'
import type { ChannelEvent, HistoryLimits } from './history.ts'
import { hasMethod, requireFunction, requireKnown, requireWhole } from '../stream/stream-options.ts'

/**
 * What happens when a subscriber reads more slowly than events are made and its buffer is full: 'close' breaks its
 * stream off, so that it reconnects and gets what it missed; 'drop-oldest' and 'drop-newest' leave events out;
 * 'latest-by-key' keeps only the newest event of each key, and then drops the oldest.
 */
export type SlowSubscriber = 'close' | 'drop-oldest' | 'drop-newest' | 'latest-by-key'

/** An event as a filter sees it. */
export type PublishedEvent = Pick<ChannelEvent, 'id' | 'event' | 'data' | 'key'>

/** Selects the events that a subscriber gets. */
export type EventFilter = (event: PublishedEvent) => boolean

/** How a channel behaves. */
export interface ChannelOptions<Events extends object = SseEvents> {
  /** Name in metrics. Default 'events'. */
  readonly name?: string | undefined
  /** How many events are kept for clients that come back, or bounds by count, bytes and age. Default 1,000 events, 8 MiB. */
  readonly history?: number | Partial<HistoryLimits> | undefined
  /** What happens when a subscriber reads too slowly. Default 'close'. */
  readonly slowConsumer?: SlowSubscriber | undefined
  /** Bytes that may wait for one subscriber before `slowConsumer` takes effect. Default 1 MiB. */
  readonly maxBufferedBytes?: number | undefined
  /** Subscribers in all. Default: no limit. */
  readonly maxStreams?: number | undefined
  /** Subscribers of one client address. Default: no limit. */
  readonly maxStreamsPerAddress?: number | undefined
  /** Subscribers on one HTTP/2 or HTTP/3 connection. Default 50: half of what a client may open, so that requests still get through. */
  readonly maxStreamsPerSession?: number | undefined
  /** How long a client that was sent away waits before it comes back, in milliseconds; up to twice that. Default 5,000. */
  readonly refusedRetryMs?: number | undefined
  /** Replaces `JSON.stringify` for the values of an event. */
  readonly serializers?: Serializers<Events> | undefined
  /** Told of a subscriber that missed events which are no longer kept, before it gets those that are. */
  readonly onGap?: ((stream: SseStream<Events>, gap: { readonly lastEventId: string | null }) => void) | undefined
  /** Told of a subscriber whose buffer is three quarters full, once until it has caught up. */
  readonly onSlow?: ((stream: SseStream<Events>, state: { readonly bufferedBytes: number }) => void) | undefined
  /** Told of events that were left out for a subscriber. */
  readonly onDrop?: ((stream: SseStream<Events>, dropped: { readonly events: number }) => void) | undefined
  /** Joins the channels of several processes, for example a `RedisBackplane`. */
  readonly backplane?: Backplane | undefined
}

/** The options with their defaults. */
export interface ChannelSettings {
  readonly name: string
  readonly history: HistoryLimits
  readonly slowConsumer: SlowSubscriber
  readonly maxBufferedBytes: number
  readonly maxStreams: number
  readonly maxStreamsPerAddress: number
  readonly maxStreamsPerSession: number
  readonly refusedRetryMs: number
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

const ACTION = 'make a channel'
const HISTORY_NAMES = new Set(['count', 'bytes', 'ageMs'])
const POLICIES = new Set<SlowSubscriber>(['close', 'drop-oldest', 'drop-newest', 'latest-by-key'])
const LIMITS = [
  'maxBufferedBytes',
  'maxStreams',
  'maxStreamsPerAddress',
  'maxStreamsPerSession',
  'refusedRetryMs',
] as const
const CALLBACKS = ['onGap', 'onSlow', 'onDrop'] as const
const NAMES = new Set<string>(['name', 'history', 'slowConsumer', 'serializers', 'backplane', ...CALLBACKS, ...LIMITS])
const BACKPLANE_METHODS = ['open', 'publish', 'catchUp', 'close'] as const

const DEFAULTS: ChannelSettings = {
  name: 'events',
  history: { count: 1000, bytes: 8 * 2 ** 20, ageMs: Infinity },
  slowConsumer: 'close',
  maxBufferedBytes: 2 ** 20,
  maxStreams: Infinity,
  maxStreamsPerAddress: Infinity,
  maxStreamsPerSession: 50,
  refusedRetryMs: 5000,
}

/** @throws {TypeError | RangeError} naming the option that is unknown, of the wrong type or out of range */
export function checkChannelOptions<Events extends object>(options: ChannelOptions<Events>): ChannelSettings {
  requireKnown(ACTION, options, NAMES)
  const settings: Mutable<ChannelSettings> = { ...DEFAULTS }
  if (options.name !== undefined) settings.name = requireName(options.name)
  settings.history = checkHistory(options.history)
  const { slowConsumer } = options
  if (slowConsumer !== undefined) {
    if (!POLICIES.has(slowConsumer)) {
      throw new TypeError(`Cannot ${ACTION}: slowConsumer is not one of ${[...POLICIES].join(', ')}`)
    }
    settings.slowConsumer = slowConsumer
  }
  for (const name of LIMITS) {
    const value = options[name]
    if (value !== undefined) settings[name] = requireLimit(name, value)
  }
  for (const name of CALLBACKS) requireFunction(ACTION, name, options[name])
  checkSerializers(options.serializers)
  checkBackplane(options.backplane)
  return settings
}

function checkSerializers(serializers: unknown): void {
  if (serializers === undefined) return
  if (typeof serializers !== 'object' || serializers === null) {
    throw new TypeError(`Cannot ${ACTION}: serializers is no object of functions`)
  }
  for (const [name, serialize] of Object.entries(serializers)) requireFunction(ACTION, `serializers.${name}`, serialize)
}

function checkBackplane(backplane: object | undefined): void {
  if (backplane === undefined) return
  for (const name of BACKPLANE_METHODS) {
    if (!hasMethod(backplane, name)) throw new TypeError(`Cannot ${ACTION}: the backplane has no method ${name}`)
  }
}

function checkHistory(history: number | Partial<HistoryLimits> = {}): HistoryLimits {
  const given = typeof history === 'object' ? history : { count: history }
  requireKnown(ACTION, given, HISTORY_NAMES)
  const { history: standard } = DEFAULTS
  const { count = standard.count, bytes = standard.bytes, ageMs = standard.ageMs } = given
  requireLimit('history.count', count)
  requireLimit('history.bytes', bytes)
  requireLimit('history.ageMs', ageMs)
  return { count, bytes, ageMs }
}

function requireLimit(name: string, value: number): number {
  if (value !== Infinity) requireWhole(ACTION, name, value)
  return value
}

function requireName(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError(`Cannot ${ACTION}: name is no string`)
  return name
}
