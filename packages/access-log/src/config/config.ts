import type { LevelOption, Logger, LogSink } from '@fw/log'
import type { Context } from '@fw/types'
import type { TrustProxy } from '@fw/client-address'
import type { Entry } from '../entry/entry.ts'

/** The shape of an entry. */
export const AccessLogFormat = {
  /** For people: `GET /a?b=1 200 OK 12.00ms - 127.0.0.1 (345 B) [HTTP/1.1]`. */
  Combined: 'combined',
  /** For tools: `127.0.0.1 - "GET /a?b=1 HTTP/1.1" 200 345 (12.00ms)`. */
  Common: 'common',
  /** One JSON object. */
  Json: 'json',
  /** For sinks that read named values, such as `JsonSink`. Text sinks get only method, path and status. */
  Fields: 'fields',
  /** What `customFormatter` returns. */
  Custom: 'custom',
} as const

export type AccessLogFormat = (typeof AccessLogFormat)[keyof typeof AccessLogFormat]

/** What `accessLog` logs, and how. */
export interface AccessLogConfig {
  /** Receives the entries, and the messages of `RequestLogger`. Default: the global logger of `@fw/log`. */
  readonly logger?: Logger | undefined
  /**
   * Receive the entries instead of `logger`, at every level that the sinks accept. The messages of `RequestLogger` still
   * go to `logger`. Default: none.
   */
  readonly sinks?: readonly LogSink[] | undefined
  /** Default `AccessLogFormat.Combined`. */
  readonly format?: AccessLogFormat | undefined
  /** Level of entries with a status below 400. Default `Level.Info`; `Level.Off` logs none of them. */
  readonly normalLevel?: LevelOption | undefined
  /** Level of 4xx. Default `Level.Warn`. */
  readonly clientErrorLevel?: LevelOption | undefined
  /** Level of 5xx. Default `Level.Error`. */
  readonly serverErrorLevel?: LevelOption | undefined
  /** Nanoseconds after which a request is slow; 0 for never. Default 0. */
  readonly slowThreshold?: number | bigint | undefined
  /** Milliseconds after which a request is slow; 0 for never. Must be absent if `slowThreshold` is given. */
  readonly slowThresholdMs?: number | undefined
  /** Level of slow requests; with a 4xx or 5xx, the more severe of the two. Default `Level.Warn`. */
  readonly slowLevel?: LevelOption | undefined
  /** Show the query. Default true. */
  readonly logQuery?: boolean | undefined
  /** Show the address of the client. Default true. */
  readonly logClientIp?: boolean | undefined
  /** Show the size of the response's body; Json has it always. Default true. */
  readonly logBytes?: boolean | undefined
  /** Show the protocol. Default true. */
  readonly logProtocol?: boolean | undefined
  /** Names of request headers to show, in this order; not in Common. Default none. */
  readonly requestHeaders?: readonly string[] | undefined
  /** Names of response headers to show, after those of the request. Default none. */
  readonly responseHeaders?: readonly string[] | undefined
  /** Paths, as received and without query, whose requests are not logged. Default none. */
  readonly skipPaths?: readonly string[] | undefined
  /** Asked when the status is known; true means no entry. One that throws skips nothing. Default: none. */
  readonly skipIf?: ((ctx: Context) => boolean) | undefined
  /**
   * Makes the text of entries, whatever the format; given the duration in whole nanoseconds, and what the other formats
   * show: the status that was sent, or 499, the size, the address of the client, and the rest of it redacted. Where it
   * throws, and for requests that never had a context, the entry is the Combined one. Its result is not escaped.
   * Default: none.
   */
  readonly customFormatter?: ((ctx: Context, durationNs: number, entry: Entry) => string) | undefined
  /** Request header with the correlation id. Default `x-request-id`. */
  readonly correlationHeader?: string | undefined
  /**
   * Generates a correlation id for a request without a valid one: `true` for 16 random hexadecimal digits, or a function
   * that returns 1 to 128 visible ASCII characters without `"`, `\`, `[` and `]`. Default false.
   */
  readonly generateRequestId?: boolean | ((ctx: Context) => string) | undefined
  /**
   * Show the trace that a valid `traceparent` names (W3C Trace Context): `[trace_id: …]` at the end of Combined,
   * `trace_id` and `parent_id` in Json and as fields of the `RequestLogger`'s records. Default false.
   */
  readonly logTraceContext?: boolean | undefined
  /**
   * Share of entries that are logged, 0 to 1, by chance. Those with a 4xx or 5xx, slow and aborted ones always are.
   * Default 1.
   */
  readonly sampleRate?: number | undefined
  /**
   * Proxies whose word about the client's address is taken: none (`false`), those in CIDR blocks, or a number of hops;
   * as `{ proxies, header }` with the one field that they maintain.
   * Default: `x-forwarded-for`, `x-real-ip` and `forwarded` of anybody, which any client can forge.
   */
  readonly trustProxy?: TrustProxy | undefined
  /** Names of captured headers whose values are shown as `REDACTED`. Default none. */
  readonly redactHeaders?: readonly string[] | undefined
  /** Names of query parameters whose values are shown as `REDACTED`. Default none. */
  readonly redactQuery?: readonly string[] | undefined
}

/** The options of `accessLog` that a route can change: where the entries go stays the same. */
export type EntryConfig = Omit<AccessLogConfig, 'logger' | 'sinks'>
