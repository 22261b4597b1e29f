import type { LevelOption, Logger, LogSink } from '@fw/log'
import type { Context } from '@fw/types'
import type { TrustProxy } from '@fw/client-address'
import type { Entry } from '../entry/entry.ts'

/** The format of an entry. */
export const AccessLogFormat = {
  /** For human readers: `GET /a?b=1 200 OK 12.00ms - 127.0.0.1 (345 B) [HTTP/1.1]`. */
  Combined: 'combined',
  /** For tools that read the Common Log Format: `127.0.0.1 - "GET /a?b=1 HTTP/1.1" 200 345 (12.00ms)`. */
  Common: 'common',
  /** One JSON object. */
  Json: 'json',
  /** For sinks that read named values, such as `JsonSink`. Text sinks receive only method, path and status. */
  Fields: 'fields',
  /** The result of `customFormatter`. */
  Custom: 'custom',
} as const

/** The format of an entry. */
export type AccessLogFormat = (typeof AccessLogFormat)[keyof typeof AccessLogFormat]

/** Options of `accessLog`. */
export interface AccessLogConfig {
  /** Receives the entries, and the messages from `RequestLogger`. Default: the global logger from `@fw/log`. */
  readonly logger?: Logger | undefined
  /**
   * Sinks that receive the entries instead of `logger`, at every level that they accept. `logger` still receives the
   * messages from `RequestLogger`. Default: none.
   */
  readonly sinks?: readonly LogSink[] | undefined
  /** Chooses the format of entries. Default `AccessLogFormat.Combined`. */
  readonly format?: AccessLogFormat | undefined
  /** Sets the level of entries with a status below 400. Default `Level.Info`; `Level.Off` logs none. */
  readonly normalLevel?: LevelOption | undefined
  /** Sets the level of 4xx entries. Default `Level.Warn`. */
  readonly clientErrorLevel?: LevelOption | undefined
  /** Sets the level of 5xx entries. Default `Level.Error`. */
  readonly serverErrorLevel?: LevelOption | undefined
  /** Marks requests that take more nanoseconds than this as slow. Default 0, which marks none. */
  readonly slowThreshold?: number | bigint | undefined
  /** Marks requests that take more milliseconds than this as slow. Cannot be combined with `slowThreshold`. Default: none. */
  readonly slowThresholdMs?: number | undefined
  /** Sets the level of slow requests. A slow 4xx or 5xx response uses the more severe level. Default `Level.Warn`. */
  readonly slowLevel?: LevelOption | undefined
  /** Shows the query. Default true. */
  readonly logQuery?: boolean | undefined
  /** Shows the client's address. Default true. */
  readonly logClientIp?: boolean | undefined
  /** Shows the size of the response body. Json always contains it. Default true. */
  readonly logBytes?: boolean | undefined
  /** Shows the protocol. Default true. */
  readonly logProtocol?: boolean | undefined
  /** Shows these request header fields, in this order, except in Common. Default none. */
  readonly requestHeaders?: readonly string[] | undefined
  /**
   * Shows these response header fields, after those of the request. Cannot show `content-length`, `date` or `connection`, which
   * the server adds later. Default none.
   */
  readonly responseHeaders?: readonly string[] | undefined
  /** Logs no entry for these paths, compared as received and without the query. Default none. */
  readonly skipPaths?: readonly string[] | undefined
  /**
   * Skips the entry if the function returns true. Called when the status is known. If it throws, the entry is logged.
   * Default: none.
   */
  readonly skipIf?: ((ctx: Context) => boolean) | undefined
  /**
   * Creates the text of entries; replaces the format. It receives the duration in nanoseconds and the same content as the other
   * formats, redacted but not escaped. If it throws, or if a request has no context, the entry uses Combined. Its result is not
   * escaped. Default: none.
   */
  readonly customFormatter?: ((ctx: Context, durationNs: number, entry: Entry) => string) | undefined
  /** Names the request header with the correlation ID. Default `'x-request-id'`. */
  readonly correlationHeader?: string | undefined
  /**
   * Generates a correlation ID for each request without a valid one. `true` generates 16 random hexadecimal digits. A
   * function must return 1 to 128 visible ASCII characters without `"`, `\`, `[` and `]`. Default false.
   */
  readonly generateRequestId?: boolean | ((ctx: Context) => string) | undefined
  /**
   * Shows the trace of a valid `traceparent` (W3C Trace Context): `[trace_id: …]` at the end of Combined, `trace_id` and
   * `parent_id` in Json and in `RequestLogger` fields. Default false.
   */
  readonly logTraceContext?: boolean | undefined
  /**
   * Logs this share of entries, from 0 to 1, chosen at random. 4xx, 5xx, slow and aborted requests are always logged.
   * Default 1.
   */
  readonly sampleRate?: number | undefined
  /**
   * Sets the trusted proxies: none (`false`), CIDR blocks, a number of hops, or `{ proxies, header }` with the field that they
   * maintain. Default: the server's `trustProxy`, even if it is `false`. If neither is set, the entry shows the address of
   * the PROXY header; without one, the address that the request claims, which any client can forge.
   */
  readonly trustProxy?: TrustProxy | undefined
  /** Replaces the values of these captured headers with `REDACTED`. Default none. */
  readonly redactHeaders?: readonly string[] | undefined
  /** Replaces the values of these query parameters with `REDACTED`. Default none. */
  readonly redactQuery?: readonly string[] | undefined
}

/** The options of `accessLog` that a route can change: all except the destination of the entries. */
export type EntryConfig = Omit<AccessLogConfig, 'logger' | 'sinks'>
