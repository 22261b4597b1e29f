import { constants } from 'node:buffer'
import {
  checkOptions,
  either,
  flag,
  integer,
  listOf,
  objectWith,
  oneOf,
  origin,
  type OptionKind,
  type OptionKinds,
  withFix,
} from '@fw/options'
import type { Logger } from '@fw/log'
import type { Context } from '@fw/types'

/** Decides whether pages from an origin can connect. */
export type OriginCheck = (origin: string, ctx: Context<object>) => boolean | Promise<boolean>

/** Options of `acceptWebSocket`. All are optional. */
export interface WebSocketOptions {
  /**
   * Origins whose pages can connect: `'same'`, a list that replaces it, a function, or `'any'`. Others get 403. Requests without
   * `Origin` pass, because no browser sent them. Default `'same'`: the origin of the request itself, `ctx.origin`.
   */
  readonly origins?: 'same' | 'any' | readonly string[] | OriginCheck | undefined
  /** Subprotocols that the route supports. The client's order determines which one is selected. Default: none. */
  readonly protocols?: readonly string[] | undefined
  /**
   * Limits a message in bytes, after decompression. A longer one closes the connection with 1009. Default 65,536, because the
   * server collects a message in memory. Maximum: `buffer.constants.MAX_STRING_LENGTH`, about 512 MiB.
   */
  readonly maxMessageBytes?: number | undefined
  /** Limits the frames of a message. More close the connection with 1008. Default 128, because each one costs memory. */
  readonly maxFragments?: number | undefined
  /**
   * Limits the frames per second on average, with bursts of five times as many. A control frame counts as 10. More close the
   * connection with 1008; 0 disables the limit. Default 1,000, because small frames cost CPU time that no byte limit covers.
   */
  readonly maxFramesPerSecond?: number | undefined
  /**
   * Pings a client that has been silent for this many milliseconds, and ends the connection if it stays silent for as long
   * again; 0 disables pings. Default 25,000, because proxies close silent connections after 30 to 60 s.
   */
  readonly heartbeatMs?: number | undefined
  /** Closes the connection with 1001 after this many milliseconds without a message from the client. Default 0: never. */
  readonly idleTimeoutMs?: number | undefined
  /**
   * Compresses messages of at least 1,024 bytes if the client supports it. Off by default, because each compressing socket needs
   * about 250 KiB of memory.
   */
  readonly compression?: boolean | undefined
  /** Waits this many milliseconds for the client's Close frame, then ends the connection. Default 3,000. */
  readonly closeTimeoutMs?: number | undefined
  /** Limits the open sockets of the route in this process. Further clients get 503. Default 0: no limit. */
  readonly maxSockets?: number | undefined
  /** Limits the open sockets of the route for each `ctx.clientAddress`. Further clients get 503. Default 0: no limit. */
  readonly maxSocketsPerAddress?: number | undefined
  /**
   * Limits the open sockets on one HTTP/2 or HTTP/3 connection. Further ones get 503; 0 disables the limit. Default 50, because
   * sockets share the connection's 100 streams with ordinary requests.
   */
  readonly maxSocketsPerConnection?: number | undefined
  /**
   * Limits the bytes that the client has not read yet. Beyond the limit, `slowConsumer` applies. The server's limits, such as
   * `maxBufferedBytesPerConnection`, apply too. Default 1 MiB.
   */
  readonly maxBufferedBytes?: number | undefined
  /**
   * Decides what `send` does beyond `maxBufferedBytes`. `'close'` closes the connection with 1013, `'drop'` discards the message,
   * and `'wait'` still sends it, so await each `send`. Default `'close'`.
   */
  readonly slowConsumer?: 'wait' | 'close' | 'drop' | undefined
  /** Receives errors of handlers. Default: the global logger from `@fw/log`. */
  readonly logger?: Logger | undefined
}

/** The options with their defaults. */
export interface WebSocketSettings {
  readonly origins: 'same' | 'any' | ReadonlySet<string> | OriginCheck
  readonly protocols: readonly string[]
  readonly maxMessageBytes: number
  readonly maxFragments: number
  readonly maxFramesPerSecond: number
  readonly heartbeatMs: number
  readonly idleTimeoutMs: number
  readonly compression: boolean
  readonly closeTimeoutMs: number
  readonly maxSockets: number
  readonly maxSocketsPerAddress: number
  readonly maxSocketsPerConnection: number
  readonly maxBufferedBytes: number
  readonly slowConsumer: 'wait' | 'close' | 'drop'
  readonly logger: Logger | undefined
}

/** Maximum delay of a Node.js timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Largest message in bytes. A longer text message does not fit into a string, so the handler could not receive it. */
const LARGEST_MESSAGE_BYTES = constants.MAX_STRING_LENGTH
/** Largest limit that `ws` accepts. */
const MOST_FRAGMENTS = 2 ** 31 - 1

const ORIGINS: OptionKind = {
  expected: '"same", "any", a list of origins or a function',
  accepts: (value) => value === 'same' || value === 'any' || Array.isArray(value) || typeof value === 'function',
  item: origin,
  fix: (value) => (typeof value === 'string' ? 'Write a list, for example ["https://app.example.org"].' : undefined),
}

/** RFC 6455 §4.1: a subprotocol is a token. */
const SUBPROTOCOL: OptionKind = {
  expected: 'a token without spaces',
  accepts: (value) => typeof value === 'string' && /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/.test(value),
}

/** The values that each option accepts. */
export const WEB_SOCKET_KINDS: OptionKinds<WebSocketOptions> = {
  origins: ORIGINS,
  protocols: listOf('a list of subprotocols', SUBPROTOCOL),
  maxMessageBytes: integer(1, LARGEST_MESSAGE_BYTES),
  maxFragments: integer(1, MOST_FRAGMENTS),
  maxFramesPerSecond: either(oneOf(0), integer(10)),
  heartbeatMs: either(oneOf(0), integer(10, LONGEST_TIMER_MS)),
  idleTimeoutMs: integer(0, LONGEST_TIMER_MS),
  compression: flag,
  closeTimeoutMs: integer(1, LONGEST_TIMER_MS),
  maxSockets: integer(0),
  maxSocketsPerAddress: integer(0),
  maxSocketsPerConnection: integer(0),
  maxBufferedBytes: integer(0),
  slowConsumer: oneOf('wait', 'close', 'drop'),
  logger: withFix(
    objectWith('a logger from @fw/log', 'with', 'error'),
    'Pass what log.with({ … }) returns, or omit it to use the global logger.',
  ),
}

/** Option names from other libraries, and their replacements. */
export const WEB_SOCKET_MEANT: Readonly<Record<string, string>> = {
  maxPayload: 'maxMessageBytes',
  maxPayloadLength: 'maxMessageBytes',
  perMessageDeflate: 'compression',
  subprotocols: 'protocols',
  handleProtocols: 'protocols',
  origin: 'origins',
  verifyClient: 'origins, or middleware',
  idleTimeout: 'idleTimeoutMs',
  backpressureLimit: 'maxBufferedBytes',
}

/**
 * Checks options and fills in the defaults.
 *
 * @param api The called function, which begins every error
 * @throws {TypeError | RangeError} if an option is unknown, of the wrong type or out of range
 */
export function webSocketSettings(api: string, options: WebSocketOptions = {}): WebSocketSettings {
  checkOptions(api, options, WEB_SOCKET_KINDS, WEB_SOCKET_MEANT)
  const { origins = 'same', protocols = [], maxMessageBytes = 65_536, maxFragments = 128, logger } = options
  const { maxFramesPerSecond = 1000, heartbeatMs = 25_000, idleTimeoutMs = 0, compression = false } = options
  const { closeTimeoutMs = 3000, maxSockets = 0, maxSocketsPerAddress = 0, maxSocketsPerConnection = 50 } = options
  const { maxBufferedBytes = 2 ** 20, slowConsumer = 'close' } = options
  return {
    origins: typeof origins === 'object' ? new Set(origins) : origins,
    protocols,
    maxMessageBytes,
    maxFragments,
    maxFramesPerSecond,
    heartbeatMs,
    idleTimeoutMs,
    compression,
    closeTimeoutMs,
    maxSockets,
    maxSocketsPerAddress,
    maxSocketsPerConnection,
    maxBufferedBytes,
    slowConsumer,
    logger,
  }
}
