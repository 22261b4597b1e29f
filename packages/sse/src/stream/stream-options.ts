import { checkOptions, integer, oneOf, type OptionKinds, text } from '@fw/options'

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
   * Aborts the stream when the client reads none of the bytes that wait for it in this many milliseconds; 0 leaves the
   * time limit to the engine. Default 30,000.
   */
  readonly stallTimeoutMs?: number | undefined
}

/** The options with their defaults. */
export interface StreamSettings {
  readonly heartbeatMs: number
  readonly retryMs: number | undefined
  readonly lastEventIdParam: string | undefined
  readonly slowConsumer: SlowConsumer
  readonly maxBufferedBytes: number
  readonly stallTimeoutMs: number
}

/** The longest delay that Node.js timers take. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Streams without options share their settings. */
const DEFAULTS: StreamSettings = {
  heartbeatMs: 15_000,
  retryMs: undefined,
  lastEventIdParam: undefined,
  slowConsumer: 'wait',
  maxBufferedBytes: 2 ** 20,
  stallTimeoutMs: 30_000,
}

/** The values that each option accepts. */
export const STREAM_KINDS: OptionKinds<SseOptions> = {
  heartbeatMs: integer(0, LONGEST_TIMER_MS),
  retryMs: integer(0),
  lastEventIdParam: text,
  slowConsumer: oneOf('wait', 'close', 'drop'),
  maxBufferedBytes: integer(0),
  stallTimeoutMs: integer(0, LONGEST_TIMER_MS),
}

/** What to write instead of other names. */
const MEANT = { stallMs: 'stallTimeoutMs' }

/**
 * Checks the options of a stream and fills in the defaults.
 *
 * @param api The function that was called; begins every error
 * @param kinds `STREAM_KINDS`, and the kinds of further options that the function has
 * @throws {TypeError | RangeError} if an option is unknown, of the wrong type or out of range
 */
export function streamSettings<Options extends SseOptions>(
  api: string,
  options: Options | undefined,
  kinds: OptionKinds<Options>,
): StreamSettings {
  if (options === undefined) return DEFAULTS
  checkOptions(api, options, kinds, MEANT)
  const {
    heartbeatMs = DEFAULTS.heartbeatMs,
    retryMs,
    lastEventIdParam,
    slowConsumer = DEFAULTS.slowConsumer,
    maxBufferedBytes = DEFAULTS.maxBufferedBytes,
    stallTimeoutMs = DEFAULTS.stallTimeoutMs,
  } = options
  return { heartbeatMs, retryMs, lastEventIdParam, slowConsumer, maxBufferedBytes, stallTimeoutMs }
}
