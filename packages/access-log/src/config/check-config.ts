import {
  anything,
  checkOptions,
  either,
  fieldName,
  flag,
  func,
  integer,
  listOf,
  number,
  objectWith,
  oneOf,
  type OptionKind,
  type OptionKinds,
  optionError,
  showValue,
  text,
  withFix,
  withCode,
} from '@fw/options'
import { parseLevel } from '@fw/log'
import { AccessLogFormat, type AccessLogConfig, type EntryConfig } from './config.ts'

const isLevel = integer(0, 6).accepts

/** Accepts levels and their names. */
export const levelKind: OptionKind = {
  expected: 'one of Level.Trace (0) to Level.Off (6) or a name such as "debug"',
  accepts: (value) => isLevel(value) || (typeof value === 'string' && parseLevel(value) !== undefined),
  isRightType: (value) => typeof value === 'number',
  fix: 'Use a constant such as Level.Info.',
}

const loggerKind = withFix(
  objectWith('a logger from @fw/log', 'log', 'logData', 'isEnabled', 'with', 'withPrefix', 'withLocation'),
  'Pass log.logger, or a logger from log.with() or createLogger().',
)

const sinkKind = withFix(
  objectWith('a sink with write(), flush() and close()', 'write', 'flush', 'close'),
  'Use a sink such as new JsonSink().',
)

const fieldNames = listOf('an array of field names', fieldName)
const texts = listOf('an array of strings', text)

const nanoseconds: OptionKind = {
  expected: 'a number or bigint of nanoseconds, at least 0',
  accepts: (value) => (typeof value === 'number' || typeof value === 'bigint') && value >= 0,
  isRightType: (value) => typeof value === 'number' || typeof value === 'bigint',
  fix: 'Use slowThresholdMs to give milliseconds.',
}

const milliseconds: OptionKind = {
  expected: 'a number of milliseconds, at least 0',
  accepts: (value) => typeof value === 'number' && value >= 0,
  isRightType: (value) => typeof value === 'number',
}

/** The options that a route can override, with the values that they accept. */
export const ENTRY_KINDS: OptionKinds<EntryConfig> = {
  format: oneOf(...Object.values(AccessLogFormat)),
  normalLevel: levelKind,
  clientErrorLevel: levelKind,
  serverErrorLevel: levelKind,
  slowThreshold: nanoseconds,
  slowThresholdMs: milliseconds,
  slowLevel: levelKind,
  logQuery: flag,
  logClientIp: flag,
  logBytes: flag,
  logProtocol: flag,
  requestHeaders: fieldNames,
  responseHeaders: fieldNames,
  skipPaths: texts,
  skipIf: func,
  customFormatter: func,
  correlationHeader: fieldName,
  generateRequestId: either(flag, func),
  logTraceContext: flag,
  sampleRate: number(0, 1),
  // `compileTrust` checks it.
  trustProxy: anything,
  redactHeaders: fieldNames,
  redactQuery: texts,
}

const CONFIG_KINDS: OptionKinds<AccessLogConfig> = {
  ...ENTRY_KINDS,
  logger: loggerKind,
  sinks: listOf('an array of sinks', sinkKind),
}

/**
 * Checks the options of `accessLog`, first separately and then together.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 */
export function checkConfig(config: AccessLogConfig): void {
  if (typeof config === 'object' && (config as unknown) !== null && 'onFinish' in config) {
    throw withCode(
      'FW_INVALID_OPTION',
      new TypeError('accessLog: options must be an object of options, got a context. Write router.use(accessLog()).'),
    )
  }
  checkOptions('accessLog', config, CONFIG_KINDS)
  const { format, customFormatter, slowThreshold, slowThresholdMs } = config
  if (hasBothThresholds(config)) {
    throw optionError({
      api: 'accessLog',
      name: 'slowThresholdMs',
      expected: `omitted if slowThreshold is ${showValue(slowThreshold)}`,
      got: showValue(slowThresholdMs),
      fix: ONE_THRESHOLD,
    })
  }
  if (format === AccessLogFormat.Custom && customFormatter === undefined) {
    throw optionError({
      api: 'accessLog',
      name: 'customFormatter',
      expected: 'a function if format is "custom"',
      got: 'undefined',
      fix: 'Add a customFormatter, or use another format.',
    })
  }
}

/** The advice in the error about a threshold in both units. */
export const ONE_THRESHOLD = 'Give slowThreshold or slowThresholdMs, but not both.'

export function hasBothThresholds({ slowThreshold, slowThresholdMs }: AccessLogConfig): boolean {
  return slowThreshold !== undefined && slowThresholdMs !== undefined
}
