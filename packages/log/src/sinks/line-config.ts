import cluster from 'node:cluster'
import { anything, checkOptions, flag, type OptionKinds } from '@fw/options'
import { compileCustomPattern } from '../lines/custom-pattern.ts'
import { Level, levelKind } from '../level.ts'
import { compilePattern, type LinePattern, type PaintLevel } from '../lines/pattern.ts'
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
  const { showLocation = true, showThreadId = false, utc = false, pattern, level = Level.Trace } = config
  const { showProcessId = showThreadId && cluster.isWorker } = config
  if (pattern === undefined) {
    const parts = { showLocation, showThreadId, showProcessId, utc }
    return {
      level,
      usesLocation: showLocation,
      compile: (paint) => compilePattern(parts, paint),
      compileCalls: (paint) => compilePlainForm(parts, paint),
    }
  }
  const { usesLocation } = compileCustomPattern(pattern, utc, undefined, api)
  return { level, usesLocation, compile: (paint) => compileCustomPattern(pattern, utc, paint, api).line }
}
