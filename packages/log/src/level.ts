import { type OptionKind, showValue, withCode } from '@fw/options'
import { escapeLine } from './text/escape.ts'
import { printToStderr } from './failure-report.ts'

/** The severity of a record, or, as a threshold, the lowest severity that is logged. `Off` logs nothing. */
export const Level = {
  /** 0: individual steps of the program. */
  Trace: 0,
  /** 1: details that help to find a bug. */
  Debug: 1,
  /** 2: events of normal operation. The default threshold. */
  Info: 2,
  /** 3: a condition that can become an error. */
  Warn: 3,
  /** 4: an operation that failed. */
  Error: 4,
  /** 5: an error after which the program cannot continue. */
  Fatal: 5,
  /** 6: as a threshold, logs nothing. */
  Off: 6,
} as const

/** The severity of a record, or, as a threshold, the lowest severity that is logged. `Off` logs nothing. */
export type Level = (typeof Level)[keyof typeof Level]

/** The name of a level in lines: upper case, without padding. */
export type LevelName = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'FATAL' | 'OFF'

/** A level, or its name in upper or lower case: `Level.Debug`, `'debug'` or `'DEBUG'`. */
export type LevelOption = Level | LevelName | Lowercase<LevelName>

const NAMES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF'] as const

/** Returns the name of a level in upper case. */
export function levelName(level: Level): LevelName {
  return NAMES[level]
}

/**
 * Parses a level name in any case, for settings from outside the program.
 *
 * @returns `undefined` if the name is unknown
 *
 * @example
 * setLevel(parseLevel(process.env.LOG_LEVEL ?? '') ?? Level.Info)
 */
export function parseLevel(name: string): Level | undefined {
  const upper = name.toUpperCase()
  return Object.values(Level).find((level) => NAMES[level] === upper)
}

const EXPECTED = 'one of Level.Trace (0) to Level.Off (6) or a name such as "debug"'

const FIX = 'Use a constant such as Level.Info, or "trace", "debug", "info", "warn", "error", "fatal" or "off".'

/** Accepts levels and their names. */
export const levelKind: OptionKind = {
  expected: EXPECTED,
  accepts: (value) => readLevel(value) !== undefined,
  isRightType: (value) => typeof value === 'number',
  fix: FIX,
}

/** Returns the level that an option specifies; `undefined` if the value is neither a level nor a level name. */
export function readLevel(value: unknown): Level | undefined {
  return typeof value === 'string' ? parseLevel(value) : Object.values(Level).find((level) => level === value)
}

/**
 * Checks the argument of a function that takes a level.
 *
 * @param api The called function, as its caller writes it: `setLevel`
 * @throws {RangeError} if the value is a number that is not a level
 * @throws {TypeError} if it is any other value that is neither a level nor a level name
 */
export function checkLevel(value: unknown, api: string): Level {
  const level = readLevel(value)
  if (level !== undefined) return level
  const message = `${api}: level must be ${EXPECTED}, got ${showValue(value)}. ${FIX}`
  throw withCode('FW_INVALID_ARGUMENT', typeof value === 'number' ? new RangeError(message) : new TypeError(message))
}

/** Returns the level that the environment variable `FW_LOG_LEVEL` names, otherwise Info. Warns about an unknown name. */
export function defaultLevel(): Level {
  const name = process.env.FW_LOG_LEVEL
  if (!name) return Level.Info
  const level = parseLevel(name)
  if (level === undefined) {
    const known = NAMES.join(', ').toLowerCase()
    printToStderr(escapeLine(`log: FW_LOG_LEVEL must be one of ${known}, got ${showValue(name)}. Using info.`))
  }
  return level ?? Level.Info
}
