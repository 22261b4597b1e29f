import cluster from 'node:cluster'
import { compileCustomPattern } from '../lines/custom-pattern.ts'
import { checkLevel, Level } from '../level.ts'
import { checkFlags, checkOptions } from '../options.ts'
import { compilePattern, type LinePattern, type PaintLevel } from '../lines/pattern.ts'
import { compilePlainForm, type PlainForm } from '../lines/plain-call.ts'

/** What every sink of text lines can be told. */
export interface LineConfig {
  /** Show `[file:line]`. Default: true */
  readonly showLocation?: boolean
  /** Show `[t:<thread id>]`. Default: false */
  readonly showThreadId?: boolean
  /** Show `[p:<process id>]`. Default: in worker processes of `node:cluster`, if the thread id is shown */
  readonly showProcessId?: boolean
  /** Coordinated universal time instead of local time. Default: false */
  readonly utc?: boolean
  /** The form of a line, as `{time} {level} {message}`. Default: the form with brackets, by the options above */
  readonly pattern?: string
  /** Records below this level are left out. Default: none are */
  readonly level?: Level
}

/** Such options after they were checked. */
export interface CheckedLineConfig {
  readonly level: Level
  readonly usesLocation: boolean
  readonly compile: (paint?: PaintLevel) => LinePattern
  /** The same for calls without a record; not of custom patterns. */
  readonly compileCalls?: (paint?: PaintLevel) => PlainForm
}

const FLAGS = ['showLocation', 'showThreadId', 'showProcessId', 'utc']

/**
 * @param others Names of the sink's own options
 * @param otherFlags Those of them that are true or false
 * @throws {TypeError} or {RangeError} if an option is unknown or has a wrong value
 */
export function checkLineConfig(
  config: LineConfig,
  others: readonly string[],
  otherFlags: readonly string[],
  purpose: string,
): CheckedLineConfig {
  checkOptions(config, [...others, ...FLAGS, 'pattern', 'level'], purpose)
  checkFlags(config, [...otherFlags, ...FLAGS], purpose)
  const { showLocation = true, showThreadId = false, utc = false, pattern } = config
  const { showProcessId = showThreadId && cluster.isWorker } = config
  const level = checkLevel(config.level ?? Level.Trace, purpose)
  if (pattern === undefined) {
    const parts = { showLocation, showThreadId, showProcessId, utc }
    return {
      level,
      usesLocation: showLocation,
      compile: (paint) => compilePattern(parts, paint),
      compileCalls: (paint) => compilePlainForm(parts, paint),
    }
  }
  const { usesLocation } = compileCustomPattern(pattern, utc, undefined, purpose)
  return { level, usesLocation, compile: (paint) => compileCustomPattern(pattern, utc, paint, purpose).line }
}
