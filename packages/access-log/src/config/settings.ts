import { Level, type LevelOption, type Logger, logger as globalLogger, parseLevel } from '@fw/log'
import type { Context, LevelNumber } from '@fw/types'
import { believedAddress, claimedAddress, compileTrust, UNIX_SOCKET } from '@fw/client-address'
import { AccessLogFormat, type AccessLogConfig } from './config.ts'
import { checkConfig } from './check-config.ts'
import type { Parts } from '../entry/entry.ts'
import { requestIdGenerator } from '../entry/request-id.ts'

const NS_PER_MS = 1e6

/** A header to capture. */
export interface HeaderChoice {
  /** The name as configured, for use in entries. */
  readonly label: string
  /** The name in lower case. */
  readonly name: string
  /** Whether entries show `REDACTED` instead of the value. */
  readonly isRedacted: boolean
}

/** A checked configuration with its defaults. */
export interface Settings extends Parts {
  /** Receives the entries. */
  readonly entries: Logger
  /** Receives messages from handlers. */
  readonly logger: Logger
  /** The format of entries. */
  readonly format: AccessLogFormat
  /** The level of entries with a status below 400. */
  readonly normalLevel: LevelNumber
  /** The level of 4xx entries. */
  readonly clientErrorLevel: LevelNumber
  /** The level of 5xx entries. */
  readonly serverErrorLevel: LevelNumber
  /** The threshold in nanoseconds; `Infinity` if there is none. */
  readonly slowThresholdNs: number
  /** The level of slow requests. */
  readonly slowLevel: LevelNumber
  /** The request header fields to show. */
  readonly requestHeaders: readonly HeaderChoice[]
  /** The response header fields to show. */
  readonly responseHeaders: readonly HeaderChoice[]
  /** The paths whose requests are not logged. */
  readonly skipPaths: ReadonlySet<string>
  /** Reports whether to skip the entry of a request. */
  readonly skipIf: AccessLogConfig['skipIf']
  /** Formats entries instead of `format`. */
  readonly customFormatter: AccessLogConfig['customFormatter']
  /** The request header with the correlation ID, in lower case. */
  readonly correlationHeader: string
  /** Returns a valid ID; `undefined` if none is generated. */
  readonly generateRequestId: ((ctx: Context) => string) | undefined
  /** Whether entries show the request's trace. */
  readonly logTraceContext: boolean
  /** The share of logged entries, from 0 to 1. */
  readonly sampleRate: number
  /** Returns the client's address; `undefined` if it is unknown. */
  readonly clientAddress: (ctx: Context) => string | undefined
  /** Names of query parameters whose values are redacted, in lower case. */
  readonly redactQuery: ReadonlySet<string>
}

/**
 * Checks a configuration and fills in the defaults.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 */
export function compile(config: AccessLogConfig, entries: Logger): Settings {
  checkConfig(config)
  const { format = AccessLogFormat.Combined, customFormatter, trustProxy } = config
  const trust = trustProxy === undefined ? undefined : compileTrust(trustProxy, 'accessLog')
  const redacted = lowerCase(config.redactHeaders)
  return {
    entries,
    logger: config.logger ?? globalLogger,
    format,
    normalLevel: levelOf(config.normalLevel) ?? Level.Info,
    clientErrorLevel: levelOf(config.clientErrorLevel) ?? Level.Warn,
    serverErrorLevel: levelOf(config.serverErrorLevel) ?? Level.Error,
    slowThresholdNs: slowThresholdNs(config) || Infinity,
    slowLevel: levelOf(config.slowLevel) ?? Level.Warn,
    logQuery: config.logQuery ?? true,
    logClientIp: config.logClientIp ?? true,
    logBytes: config.logBytes ?? true,
    logProtocol: config.logProtocol ?? true,
    requestHeaders: choices(config.requestHeaders, redacted),
    responseHeaders: choices(config.responseHeaders, redacted),
    skipPaths: new Set(config.skipPaths),
    skipIf: config.skipIf,
    customFormatter,
    logTraceContext: config.logTraceContext ?? false,
    sampleRate: config.sampleRate ?? 1,
    generateRequestId: requestIdGenerator(config.generateRequestId),
    correlationHeader: (config.correlationHeader ?? 'x-request-id').toLowerCase(),
    clientAddress: trust === undefined ? addressOfServer : (ctx) => believedAddress(ctx.headers, peerOf(ctx), trust),
    redactQuery: lowerCase(config.redactQuery),
  }
}

function levelOf(option: LevelOption | undefined): LevelNumber | undefined {
  return typeof option === 'string' ? parseLevel(option) : option
}

function slowThresholdNs({ slowThreshold, slowThresholdMs = 0 }: AccessLogConfig): number {
  return slowThreshold === undefined ? slowThresholdMs * NS_PER_MS : Number(slowThreshold)
}

/**
 * Returns the client address according to the server's `trustProxy`. Without `trustProxy`, returns the address of a PROXY header;
 * without such a header, the address that the request claims.
 */
function addressOfServer(ctx: Context): string | undefined {
  return ctx.trustsProxy !== undefined ? ctx.clientAddress : claimedAddress(ctx.headers, ctx.remoteAddress)
}

function peerOf({ remoteAddress, exchange }: Pick<Context, 'remoteAddress'> & Partial<Context>): string | undefined {
  return exchange?.isUnixSocket === true ? UNIX_SOCKET : remoteAddress
}

/** Removes duplicate headers, because Json must not repeat a key. */
function choices(names: readonly string[] = [], redacted: ReadonlySet<string>): HeaderChoice[] {
  return Array.from(new Set(names), (label) => {
    const name = label.toLowerCase()
    return { label, name, isRedacted: redacted.has(name) }
  })
}

function lowerCase(names: readonly string[] = []): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()))
}
