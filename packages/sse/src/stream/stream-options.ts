import { requireMilliseconds } from './event.ts'

/**
 * What happens to a write when the client reads more slowly than events are made: 'wait' lets it wait, 'close' breaks
 * the stream off so that the client reconnects, 'drop' leaves the block out.
 */
export type SlowConsumer = 'wait' | 'close' | 'drop'

/** How a stream is opened and behaves. */
export interface SseOptions {
  /** Silence after which a comment is sent, in milliseconds; 0 sends none. Default 15,000: proxies give up after 30 to 60 s. */
  readonly heartbeatMs?: number | undefined
  /** Sent first: how long the client waits before it reconnects, in milliseconds. Default: the client's own choice. */
  readonly retryMs?: number | undefined
  /** Query parameter that stands in for a missing `Last-Event-ID` field. Default: none. */
  readonly lastEventIdParam?: string | undefined
  /** What happens when the client reads too slowly. Default 'wait'. */
  readonly slowConsumer?: SlowConsumer | undefined
  /** Bytes that may wait for the client before 'close' or 'drop' takes effect. Default 1 MiB. */
  readonly maxBufferedBytes?: number | undefined
  /**
   * How long a client may take nothing of what waits for it, in milliseconds, before the stream is broken off; 0 waits
   * as long as the engine does. Default 30,000.
   */
  readonly stallMs?: number | undefined
}

/** The options with their defaults. */
export interface StreamSettings {
  readonly heartbeatMs: number
  readonly retryMs: number | undefined
  readonly lastEventIdParam: string | undefined
  readonly slowConsumer: SlowConsumer
  readonly maxBufferedBytes: number
  readonly stallMs: number
}

const NAMES = new Set(['heartbeatMs', 'retryMs', 'lastEventIdParam', 'slowConsumer', 'maxBufferedBytes', 'stallMs'])

/** The longest delay that Node.js timers take. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Streams without options share their settings. */
const DEFAULTS: StreamSettings = {
  heartbeatMs: 15_000,
  retryMs: undefined,
  lastEventIdParam: undefined,
  slowConsumer: 'wait',
  maxBufferedBytes: 2 ** 20,
  stallMs: 30_000,
}

/** @throws {TypeError | RangeError} naming the option that is unknown, of the wrong type or out of range */
export function checkOptions(options: SseOptions | undefined): StreamSettings {
  if (options === undefined) return DEFAULTS
  requireKnown('open an event stream', options, NAMES)
  const {
    heartbeatMs = DEFAULTS.heartbeatMs,
    retryMs,
    lastEventIdParam,
    slowConsumer = DEFAULTS.slowConsumer,
    maxBufferedBytes = DEFAULTS.maxBufferedBytes,
    stallMs = DEFAULTS.stallMs,
  } = options
  requireWhole('open an event stream', 'heartbeatMs', heartbeatMs, LONGEST_TIMER_MS)
  requireWhole('open an event stream', 'maxBufferedBytes', maxBufferedBytes)
  requireWhole('open an event stream', 'stallMs', stallMs, LONGEST_TIMER_MS)
  if (retryMs !== undefined) requireMilliseconds('retryMs', retryMs)
  if (lastEventIdParam !== undefined && typeof lastEventIdParam !== 'string') {
    throw new TypeError('Cannot open an event stream: lastEventIdParam is no string')
  }
  if (slowConsumer !== 'wait' && slowConsumer !== 'close' && slowConsumer !== 'drop') {
    throw new TypeError("Cannot open an event stream: slowConsumer is not 'wait', 'close' or 'drop'")
  }
  return { heartbeatMs, retryMs, lastEventIdParam, slowConsumer, maxBufferedBytes, stallMs }
}

/** @throws {TypeError} naming the first option that is not among `names` */
export function requireKnown(action: string, options: object, names: ReadonlySet<string>): void {
  for (const name of Object.keys(options)) {
    if (!names.has(name)) throw new TypeError(`Cannot ${action}: there is no option ${JSON.stringify(name)}`)
  }
}

/** @throws {RangeError} naming an option that is no whole number from 0 to `max` */
export function requireWhole(action: string, name: string, value: number, max: number = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new RangeError(`Cannot ${action}: ${name} is no whole number from 0 to ${max}`)
  }
}

/** @throws {TypeError} naming an option that is there and no function */
export function requireFunction(action: string, name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function')
    throw new TypeError(`Cannot ${action}: ${name} is no function`)
}

export function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[name] === 'function'
}
