import {
  checkOptions,
  either,
  func,
  integer,
  object,
  objectWith,
  oneOf,
  optionError,
  type OptionKinds,
  options,
  showValue,
  text,
  withFix,
} from '@fw/options'
import type { Backplane } from '../backplane/backplane.ts'
import type { SseStream } from '../stream/sse-stream.ts'
import type { SseEvents, Serializers } from '../stream/typed-events.ts'
import type { ChannelEvent, HistoryLimits } from './history.ts'

/**
 * The behavior when a slow subscriber's buffer is full:
 *
 * - `'close'` aborts its stream. The client reconnects and receives the events it missed.
 * - `'drop-oldest'` and `'drop-newest'` discard events.
 * - `'latest-by-key'` keeps only the newest event of each key, then discards the oldest.
 */
export type SlowSubscriber = 'close' | 'drop-oldest' | 'drop-newest' | 'latest-by-key'

/** The event that a filter receives. */
export type PublishedEvent = Pick<ChannelEvent, 'id' | 'event' | 'data' | 'key'>

/** Selects the events that a subscriber receives. */
export type EventFilter = (event: PublishedEvent) => boolean

/** Options of `SseChannel`. All are optional. */
export interface ChannelOptions<Events extends object = SseEvents> {
  /** Name of the channel in metrics. Default 'events'. */
  readonly name?: string | undefined
  /** Limits the events kept for reconnecting clients: a number of events, or several limits. Default 1,000 events, 8 MiB. */
  readonly history?: number | Partial<HistoryLimits> | undefined
  /** Decides how to treat a subscriber whose buffer is full. Default 'close'. */
  readonly slowConsumer?: SlowSubscriber | undefined
  /** Limits the bytes that one subscriber has not read yet. Beyond the limit, `slowConsumer` takes effect. Default 1 MiB. */
  readonly maxBufferedBytes?: number | undefined
  /** Limits the number of subscribers. Default: no limit. */
  readonly maxStreams?: number | undefined
  /** Limits the subscribers per client address. Default: no limit. */
  readonly maxStreamsPerAddress?: number | undefined
  /** Limits the subscribers per HTTP/2 or HTTP/3 connection. Default 50, half of the streams that a client can open. */
  readonly maxStreamsPerSession?: number | undefined
  /** Makes a refused client reconnect after a random time from this many milliseconds to twice as many. Default 5,000. */
  readonly refusedRetryMs?: number | undefined
  /** Functions that replace `JSON.stringify`, by event name. */
  readonly serializers?: Serializers<Events> | undefined
  /** Called for a subscriber that missed events, before it receives the events that remain in the history. */
  readonly onGap?: ((stream: SseStream<Events>, gap: SubscriberGap) => void) | undefined
  /** Called when a subscriber's buffer is three quarters full, but only once until the subscriber has caught up. */
  readonly onSlow?: ((stream: SseStream<Events>, state: SubscriberBuffer) => void) | undefined
  /** Called when events are discarded for a subscriber. */
  readonly onDrop?: ((stream: SseStream<Events>, dropped: DroppedEvents) => void) | undefined
  /** Joins the channels of several processes, for example a `RedisBackplane`. */
  readonly backplane?: Backplane | undefined
}

/** The position of a subscriber that missed events. */
export interface SubscriberGap {
  /** The ID of the last event that the client received; `null` if it is unknown. */
  readonly lastEventId: string | null
}

/** The state of a slow subscriber's buffer. */
export interface SubscriberBuffer {
  /** Bytes that the client has not read yet. */
  readonly bufferedBytes: number
}

/** Events that were discarded for a subscriber. */
export interface DroppedEvents {
  /** Number of discarded events. */
  readonly events: number
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

const DEFAULTS: ChannelSettings = {
  name: 'events',
  history: { maxEvents: 1000, maxBytes: 8 * 2 ** 20, maxAgeMs: Infinity },
  slowConsumer: 'close',
  maxBufferedBytes: 2 ** 20,
  maxStreams: Infinity,
  maxStreamsPerAddress: Infinity,
  maxStreamsPerSession: 50,
  refusedRetryMs: 5000,
}

/** Accepts non-negative integers, and `Infinity` to disable a limit. */
const limit = either(integer(0), oneOf(Infinity))

const KINDS: OptionKinds<ChannelOptions> = {
  name: text,
  history: {
    ...options<HistoryLimits>({ maxEvents: limit, maxBytes: limit, maxAgeMs: limit }),
    ...either(integer(0), oneOf(Infinity), object),
  },
  slowConsumer: oneOf('close', 'drop-oldest', 'drop-newest', 'latest-by-key'),
  maxBufferedBytes: limit,
  maxStreams: limit,
  maxStreamsPerAddress: limit,
  maxStreamsPerSession: limit,
  refusedRetryMs: limit,
  serializers: object,
  onGap: func,
  onSlow: func,
  onDrop: func,
  backplane: withFix(
    objectWith('a Backplane', 'open', 'publish', 'catchUp', 'close'),
    'It needs the methods open, publish, catchUp and close.',
  ),
}

/** Suggestions for commonly mistaken names. */
const MEANT = {
  'history.count': 'maxEvents',
  'history.bytes': 'maxBytes',
  'history.ageMs': 'maxAgeMs',
}

/**
 * Checks channel options and fills in the defaults.
 *
 * @throws {TypeError | RangeError} if an option is unknown, of the wrong type or out of range
 */
export function checkChannelOptions<Events extends object>(given: ChannelOptions<Events>): ChannelSettings {
  checkOptions<ChannelOptions>('SseChannel', given as ChannelOptions, KINDS, MEANT)
  checkSerializers(given.serializers)
  const {
    name = DEFAULTS.name,
    slowConsumer = DEFAULTS.slowConsumer,
    maxBufferedBytes = DEFAULTS.maxBufferedBytes,
    maxStreams = DEFAULTS.maxStreams,
    maxStreamsPerAddress = DEFAULTS.maxStreamsPerAddress,
    maxStreamsPerSession = DEFAULTS.maxStreamsPerSession,
    refusedRetryMs = DEFAULTS.refusedRetryMs,
  } = given
  return {
    name,
    history: historyLimits(given.history),
    slowConsumer,
    maxBufferedBytes,
    maxStreams,
    maxStreamsPerAddress,
    maxStreamsPerSession,
    refusedRetryMs,
  }
}

function checkSerializers(serializers: object = {}): void {
  for (const [name, serialize] of Object.entries(serializers)) {
    if (serialize === undefined || typeof serialize === 'function') continue
    const got = showValue(serialize)
    throw optionError({ api: 'SseChannel', name: `serializers.${name}`, expected: func.expected, got })
  }
}

function historyLimits(history: number | Partial<HistoryLimits> = {}): HistoryLimits {
  const given = typeof history === 'object' ? history : { maxEvents: history }
  const { maxEvents = DEFAULTS.history.maxEvents, maxBytes = DEFAULTS.history.maxBytes } = given
  const { maxAgeMs = DEFAULTS.history.maxAgeMs } = given
  return { maxEvents, maxBytes, maxAgeMs }
}
