import { checkOptions, integer, oneOf, type OptionKinds, text } from '@fw/options'

/**
 * The behavior on a write to a client that is reading too slowly:
 *
 * - `'wait'` makes the write wait.
 * - `'close'` aborts the stream, so that the client reconnects.
 * - `'drop'` discards the block.
 */
export type SlowConsumer = 'wait' | 'close' | 'drop'

/** Options of `sse`. All are optional. */
export interface SseOptions {
  /**
   * Sends a comment after this many milliseconds without a write; 0 disables comments. Default 15,000, because proxies close
   * silent connections after 30 to 60 s.
   */
  readonly heartbeatMs?: number | undefined
  /** Tells the client to wait this many milliseconds before it reconnects. Default: the client's own value. */
  readonly retryMs?: number | undefined
  /** Query parameter to use if the request has no `Last-Event-ID` field. Default: none. */
  readonly lastEventIdParam?: string | undefined
  /** Decides how to treat a client that is reading too slowly. Default 'wait'. */
  readonly slowConsumer?: SlowConsumer | undefined
  /** Limits the bytes that the client has not read yet. Beyond the limit, `'close'` or `'drop'` takes effect. Default 1 MiB. */
  readonly maxBufferedBytes?: number | undefined
  /**
   * Aborts the stream if the client reads none of the waiting bytes for this many milliseconds. With 0, only the server's own
   * limit applies. Default 30,000.
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

/** Maximum delay of a Node.js timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Settings of all streams without options. */
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

/** Suggestions for commonly mistaken names. */
const MEANT = { stallMs: 'stallTimeoutMs' }

/**
 * Checks stream options and fills in the defaults.
 *
 * @param api Name of the called function, which begins every error
 * @param kinds `STREAM_KINDS`, and the kinds of the function's other options
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
