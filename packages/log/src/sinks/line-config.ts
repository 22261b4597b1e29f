import cluster from 'node:cluster'
import { anything, checkOptions, flag, type OptionKinds } from '@fw/options'
import { compileCustomPattern } from '../lines/custom-pattern.ts'
import { Level, levelKind, type LevelOption, readLevel } from '../level.ts'
import { compilePattern, type LinePattern, type LineTarget } from '../lines/pattern.ts'
import { compilePlainForm, type PlainForm } from '../lines/plain-call.ts'

/** Options of every sink of text lines. */
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
  readonly level?: LevelOption
}

/** Such options after they were checked. */
export interface CheckedLineConfig {
  readonly level: Level
  readonly usesLocation: boolean
  readonly compile: (target?: LineTarget) => LinePattern
  /** The same for calls without a record; not of custom patterns. */
  readonly compileCalls?: (target?: LineTarget) => PlainForm
}

const LINE_KINDS: OptionKinds<LineConfig> = {
  showLocation: flag,
  showThreadId: flag,
  showProcessId: flag,
  utc: flag,
  // Checked where it is compiled.
  pattern: anything,
  level: levelKind,
}

/**
 * Checks the options of a sink of lines, its own ones included.
 *
 * @param api The class of the sink, for messages
 * @param own The kinds of the sink's own options
 * @param meant See `checkOptions`
 * @throws {TypeError} or {RangeError} if an option is unknown or has a wrong value
 */
export function checkLineConfig<Config extends LineConfig>(
  api: string,
  config: Config,
  own: OptionKinds<Omit<Config, keyof LineConfig>>,
  meant?: Readonly<Record<string, string>>,
): CheckedLineConfig {
  checkOptions<LineConfig>(api, config, { ...own, ...LINE_KINDS }, meant)
  const { showLocation = true, showThreadId = false, utc = false, pattern } = config
  const level = readLevel(config.level) ?? Level.Trace
  const { showProcessId = showThreadId && cluster.isWorker } = config
  if (pattern === undefined) {
    const parts = { showLocation, showThreadId, showProcessId, utc }
    return {
      level,
      usesLocation: showLocation,
      compile: (target) => compilePattern(parts, target),
      compileCalls: (target) => compilePlainForm(parts, target),
    }
  }
  const { usesLocation } = compileCustomPattern(pattern, utc, {}, api)
  return { level, usesLocation, compile: (target = {}) => compileCustomPattern(pattern, utc, target, api).line }
}
