import { AccessLogFormat, type AccessLogConfig } from './config.ts'

/** Every option, with the check of its value. */
const OPTIONS: { readonly [Name in keyof AccessLogConfig]-?: (name: Name, value: unknown) => void } = {
  format: checkFormat,
  normalLevel: checkLevel,
  clientErrorLevel: checkLevel,
  serverErrorLevel: checkLevel,
  slowThreshold: checkDuration,
  slowLevel: checkLevel,
  logQuery: checkType('boolean'),
  logClientIp: checkType('boolean'),
  logBytes: checkType('boolean'),
  logProtocol: checkType('boolean'),
  requestHeaders: checkList('field names', isToken),
  responseHeaders: checkList('field names', isToken),
  skipPaths: checkList('strings', isString),
  skipIf: checkType('function'),
  customFormatter: checkType('function'),
  correlationHeader: checkFieldName,
  logTraceContext: checkType('boolean'),
  sampleRate: checkShare,
  // Checked where it is compiled.
  trustProxy: () => {},
  redactHeaders: checkList('field names', isToken),
  redactQuery: checkList('strings', isString),
}

/**
 * Checks each option by itself.
 *
 * @throws {TypeError | RangeError} naming the option that does not exist or has a value it cannot have
 */
export function checkConfig(config: unknown): asserts config is AccessLogConfig {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new TypeError('accessLog: the configuration is no object')
  }
  if ('onFinish' in config) {
    throw new TypeError('accessLog: it was given a request, write router.use(accessLog())')
  }
  for (const [name, value] of Object.entries(config)) {
    const checkValue = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as keyof AccessLogConfig] : undefined
    if (checkValue === undefined) {
      throw new TypeError(`accessLog: there is no option '${name}'; there are: ${Object.keys(OPTIONS).join(', ')}`)
    }
    if (value !== undefined) (checkValue as (name: string, value: unknown) => void)(name, value)
  }
}

function checkFormat(name: string, value: unknown): void {
  const formats: readonly unknown[] = Object.values(AccessLogFormat)
  if (!formats.includes(value)) throw new TypeError(`accessLog: ${name} is none of ${formats.join(', ')}`)
}

function checkLevel(name: string, value: unknown): void {
  if (typeof value !== 'number') throw new TypeError(`accessLog: ${name} is no level, such as Level.Info`)
  if (!Number.isInteger(value) || value < 0 || value > 6) throw new RangeError(`accessLog: ${name} is no level, 0 to 6`)
}

function checkDuration(name: string, value: unknown): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw new TypeError(`accessLog: ${name} is no number of nanoseconds`)
  }
  if (!(value >= 0)) throw new RangeError(`accessLog: ${name} is not 0 or more`)
}

function checkShare(name: string, value: unknown): void {
  if (typeof value !== 'number') throw new TypeError(`accessLog: ${name} is no number`)
  if (!(value >= 0 && value <= 1)) throw new RangeError(`accessLog: ${name} is not between 0 and 1`)
}

function checkType(type: 'boolean' | 'function'): (name: string, value: unknown) => void {
  return (name, value) => {
    if (typeof value !== type) throw new TypeError(`accessLog: ${name} is no ${type}`)
  }
}

function checkList(what: string, isItem: (value: unknown) => boolean): (name: string, value: unknown) => void {
  return (name, value) => {
    if (!Array.isArray(value) || !value.every((item) => isItem(item))) {
      throw new TypeError(`accessLog: ${name} is no list of ${what}`)
    }
  }
}

function checkFieldName(name: string, value: unknown): void {
  if (!isToken(value)) throw new TypeError(`accessLog: ${name} is no field name`)
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

/** Whether a text can be a method or the name of a field: RFC 9110 §5.1, §5.6.2, §9.1. */
export function isToken(text: unknown): boolean {
  return typeof text === 'string' && /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(text)
}
