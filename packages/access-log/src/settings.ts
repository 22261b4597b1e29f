import type { Logger } from '@fw/log'
import type { Context, LevelNumber } from '@fw/types'
import { believedAddress, claimedAddress, compileTrust } from '@fw/client-address'
import { AccessLogFormat, type AccessLogConfig } from './config.ts'
import type { Parts } from './entry.ts'

/** A header to capture. */
export interface HeaderChoice {
  /** As configured, which is how it is shown. */
  readonly label: string
  /** In lower case. */
  readonly name: string
  readonly isRedacted: boolean
}

/** A checked configuration with its defaults, ready to be used for every request. */
export interface Settings extends Parts {
  /** Makes the records that entries are. */
  readonly entries: Logger
  readonly format: AccessLogFormat
  readonly normalLevel: LevelNumber
  readonly clientErrorLevel: LevelNumber
  readonly serverErrorLevel: LevelNumber
  /** Nanoseconds; `Infinity` without slow detection. */
  readonly slowThresholdNs: number
  readonly slowLevel: LevelNumber
  readonly requestHeaders: readonly HeaderChoice[]
  readonly responseHeaders: readonly HeaderChoice[]
  readonly skipPaths: ReadonlySet<string>
  readonly skipIf: AccessLogConfig['skipIf']
  readonly customFormatter: AccessLogConfig['customFormatter']
  readonly correlationHeader: string
  readonly logTraceContext: boolean
  /** 0 to 1. */
  readonly sampleRate: number
  readonly clientAddress: (ctx: Context) => string | undefined
  /** In lower case. */
  readonly redactQuery: ReadonlySet<string>
}

/** Every option, with the check of its value. */
const OPTIONS: { readonly [Name in keyof AccessLogConfig]-?: (name: Name, value: unknown) => void } = {
  format: isFormat,
  normalLevel: isLevel,
  clientErrorLevel: isLevel,
  serverErrorLevel: isLevel,
  slowThreshold: isDuration,
  slowLevel: isLevel,
  logQuery: isOfType('boolean'),
  logClientIp: isOfType('boolean'),
  logBytes: isOfType('boolean'),
  logProtocol: isOfType('boolean'),
  requestHeaders: isListOf('field names', isToken),
  responseHeaders: isListOf('field names', isToken),
  skipPaths: isListOf('strings', isString),
  skipIf: isOfType('function'),
  customFormatter: isOfType('function'),
  correlationHeader: isFieldName,
  logTraceContext: isOfType('boolean'),
  sampleRate: isShare,
  // Checked where it is compiled.
  trustProxy: () => {},
  redactHeaders: isListOf('field names', isToken),
  redactQuery: isListOf('strings', isString),
}

/**
 * Checks a configuration and fills in the defaults.
 *
 * @throws {TypeError | RangeError} naming the option that does not exist or has a value it cannot have
 */
export function compile(config: AccessLogConfig, entries: Logger): Settings {
  check(config)
  const { format = AccessLogFormat.Combined, customFormatter, slowThreshold = 0, trustProxy } = config
  if (format === AccessLogFormat.Custom && customFormatter === undefined) {
    throw new TypeError('accessLog: format is custom, so give a customFormatter')
  }
  const trust = trustProxy === undefined ? undefined : compileTrust(trustProxy, 'accessLog')
  const redacted = lowerCase(config.redactHeaders)
  return {
    entries,
    format,
    normalLevel: config.normalLevel ?? 2,
    clientErrorLevel: config.clientErrorLevel ?? 3,
    serverErrorLevel: config.serverErrorLevel ?? 4,
    slowThresholdNs: Number(slowThreshold) || Infinity,
    slowLevel: config.slowLevel ?? 3,
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
    correlationHeader: (config.correlationHeader ?? 'x-request-id').toLowerCase(),
    clientAddress:
      trust === undefined
        ? addressOfServer
        : ({ headers, remoteAddress }) => believedAddress(headers, remoteAddress, trust),
    redactQuery: lowerCase(config.redactQuery),
  }
}

/** What the server believes, if it was told whom to believe; else what the request claims. */
function addressOfServer(ctx: Context): string | undefined {
  return ctx.trustsProxy ? ctx.clientAddress : claimedAddress(ctx.headers, ctx.remoteAddress)
}

function check(config: unknown): asserts config is AccessLogConfig {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new TypeError('accessLog: the configuration is no object')
  }
  for (const [name, value] of Object.entries(config)) {
    const checkValue = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as keyof AccessLogConfig] : undefined
    if (checkValue === undefined) {
      throw new TypeError(`accessLog: there is no option '${name}'; there are: ${Object.keys(OPTIONS).join(', ')}`)
    }
    if (value !== undefined) (checkValue as (name: string, value: unknown) => void)(name, value)
  }
}

/** Twice the same name would be twice the same key in Json. */
function choices(names: readonly string[] = [], redacted: ReadonlySet<string>): HeaderChoice[] {
  return Array.from(new Set(names), (label) => {
    const name = label.toLowerCase()
    return { label, name, isRedacted: redacted.has(name) }
  })
}

function lowerCase(names: readonly string[] = []): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()))
}

function isFormat(name: string, value: unknown): void {
  const formats: readonly unknown[] = Object.values(AccessLogFormat)
  if (!formats.includes(value)) throw new TypeError(`accessLog: ${name} is none of ${formats.join(', ')}`)
}

function isLevel(name: string, value: unknown): void {
  if (typeof value !== 'number') throw new TypeError(`accessLog: ${name} is no level, such as Level.Info`)
  if (!Number.isInteger(value) || value < 0 || value > 6) throw new RangeError(`accessLog: ${name} is no level, 0 to 6`)
}

function isDuration(name: string, value: unknown): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw new TypeError(`accessLog: ${name} is no number of nanoseconds`)
  }
  if (!(value >= 0)) throw new RangeError(`accessLog: ${name} is not 0 or more`)
}

function isShare(name: string, value: unknown): void {
  if (typeof value !== 'number') throw new TypeError(`accessLog: ${name} is no number`)
  if (!(value >= 0 && value <= 1)) throw new RangeError(`accessLog: ${name} is not between 0 and 1`)
}

function isOfType(type: 'boolean' | 'function'): (name: string, value: unknown) => void {
  return (name, value) => {
    if (typeof value !== type) throw new TypeError(`accessLog: ${name} is no ${type}`)
  }
}

function isListOf(what: string, isItem: (value: unknown) => boolean): (name: string, value: unknown) => void {
  return (name, value) => {
    if (!Array.isArray(value) || !value.every((item) => isItem(item))) {
      throw new TypeError(`accessLog: ${name} is no list of ${what}`)
    }
  }
}

function isFieldName(name: string, value: unknown): void {
  if (!isToken(value)) throw new TypeError(`accessLog: ${name} is no field name`)
}

/** A field name is a token: RFC 9110 §5.1, §5.6.2. */
function isToken(value: unknown): boolean {
  return typeof value === 'string' && /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(value)
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}
