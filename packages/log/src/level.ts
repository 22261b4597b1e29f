import { type OptionKind, showValue } from '@fw/options'
import { escapeLine } from './text/escape.ts'
import { printToStderr } from './failure-report.ts'

/** Severity of a record, and as a threshold the lowest severity that is let through. `Off` lets nothing through. */
export const Level = { Trace: 0, Debug: 1, Info: 2, Warn: 3, Error: 4, Fatal: 5, Off: 6 } as const

export type Level = (typeof Level)[keyof typeof Level]

/** Name of a level as lines show it: upper case, not padded. */
export type LevelName = 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'FATAL' | 'OFF'

const NAMES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF'] as const

export function levelName(level: Level): LevelName {
  return NAMES[level]
}

/**
 * Reads the name of a level without regard to case, for settings from outside.
 *
 * @returns `undefined` if there is no level of that name
 *
 * @example
 * setLevel(parseLevel(process.env.LOG_LEVEL ?? '') ?? Level.Info)
 */
export function parseLevel(name: string): Level | undefined {
  const upper = name.toUpperCase()
  return Object.values(Level).find((level) => NAMES[level] === upper)
}

const EXPECTED = 'one of Level.Trace (0) to Level.Off (6)'

/** Accepts levels. Refuses their names, and says how to write such a level. */
export const levelKind: OptionKind = {
  expected: EXPECTED,
  accepts: (value) => Object.values(Level).some((level) => level === value),
  isRightType: (value) => typeof value === 'number',
  fix: fixLevel,
}

/**
 * Checks the argument of a function that takes a level.
 *
 * @param api The function that was called, as its caller writes it: `setLevel`
 * @throws {TypeError} if the value is not a number
 * @throws {RangeError} if it is not one of 0 to 6
 */
export function checkLevel(value: unknown, api: string): Level {
  const level = Object.values(Level).find((known) => known === value)
  if (level !== undefined) return level
  const message = `${api}: level must be ${EXPECTED}, got ${showValue(value)}. ${fixLevel(value)}`
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message)
}

function fixLevel(value: unknown): string {
  const named = typeof value === 'string' ? parseLevel(value) : undefined
  if (named === undefined) return 'Use a constant such as Level.Info.'
  return `Use Level.${Object.keys(Level)[named]}, or parseLevel() for names from outside.`
}

/** Returns the level that `FW_LOG_LEVEL` of the environment names, else Info. Prints a warning for an unknown name. */
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
