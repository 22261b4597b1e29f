import { inspect } from 'node:util'
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

/**
 * @param purpose What the level is for, after "Cannot": "set level"
 * @throws {TypeError} if the value is no number
 * @throws {RangeError} if it is none of 0 to 6
 */
export function checkLevel(value: unknown, purpose: string): Level {
  const level = Object.values(Level).find((known) => known === value)
  if (level !== undefined) return level
  const named = typeof value === 'string' ? parseLevel(value) : undefined
  const known =
    named === undefined
      ? 'Level.Trace (0) to Level.Off (6)'
      : `Level.${Object.keys(Level)[named]}, or parseLevel() for names from outside`
  const message = `Cannot ${purpose}: ${inspect(value)} is no level, use ${known}`
  throw typeof value === 'number' ? new RangeError(message) : new TypeError(message)
}

/** The level that the environment's `FW_LOG_LEVEL` names, else Info. Says so on stderr if it names none. */
export function defaultLevel(): Level {
  const name = process.env.FW_LOG_LEVEL
  if (!name) return Level.Info
  const level = parseLevel(name)
  if (level === undefined) {
    const known = NAMES.join(', ').toLowerCase()
    printToStderr(escapeLine(`log: FW_LOG_LEVEL '${name}' is no level, using info (known: ${known})`))
  }
  return level ?? Level.Info
}
