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
  /** Number of events that are kept for clients that reconnect, or the limits. Default 1,000 events, 8 MiB. */
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

/** Accepts limits that `Infinity` turns off. */
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

/** What to write instead of names of an earlier version. */
const MEANT = {
  'history.count': 'maxEvents',
  'history.bytes': 'maxBytes',
  'history.ageMs': 'maxAgeMs',
}

/**
 * Checks the options of a channel and fills in the defaults.
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
