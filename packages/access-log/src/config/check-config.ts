import {
  anything,
  checkOptions,
  flag,
  func,
  integer,
  listOf,
  number,
  oneOf,
  type OptionKind,
  type OptionKinds,
  optionError,
  showValue,
  text,
} from '@fw/options'
import { AccessLogFormat, type AccessLogConfig } from './config.ts'

/** Accepts levels. */
export const levelKind: OptionKind = {
  ...integer(0, 6),
  expected: 'one of Level.Trace (0) to Level.Off (6)',
  fix: 'Use a constant such as Level.Info.',
}

const fieldName: OptionKind = { expected: 'a field name', accepts: isToken }
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

/** Every option of `accessLog` with the values that it accepts. */
export const CONFIG_KINDS: OptionKinds<AccessLogConfig> = {
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
  logTraceContext: flag,
  sampleRate: number(0, 1),
  // Checked where it is compiled.
  trustProxy: anything,
  redactHeaders: fieldNames,
  redactQuery: texts,
}

/**
 * Checks the options of `accessLog`, first separately and then together.
 *
 * @throws {TypeError | RangeError} naming the option that does not exist or has a wrong value
 */
export function checkConfig(config: AccessLogConfig): void {
  if (typeof config === 'object' && (config as unknown) !== null && 'onFinish' in config) {
    throw new TypeError(
      'accessLog: options must be an object of options, got a context. Write router.use(accessLog()).',
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

/** Ends the error for options that give the threshold in both units. */
export const ONE_THRESHOLD = 'Give slowThreshold or slowThresholdMs, but not both.'

export function hasBothThresholds({ slowThreshold, slowThresholdMs }: AccessLogConfig): boolean {
  return slowThreshold !== undefined && slowThresholdMs !== undefined
}

/** Reports whether a value can be a method or the name of a field: RFC 9110 §5.1, §5.6.2, §9.1. */
export function isToken(value: unknown): boolean {
  return typeof value === 'string' && /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(value)
}
