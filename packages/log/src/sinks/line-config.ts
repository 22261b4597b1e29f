import cluster from 'node:cluster'
import { anything, checkOptions, flag, type OptionKinds } from '@fw/options'
import { compileCustomPattern } from '../lines/custom-pattern.ts'
import { Level, levelKind, type LevelOption, readLevel } from '../level.ts'
import { compilePattern, type LinePattern, type LineTarget } from '../lines/pattern.ts'
import { compilePlainForm, type PlainForm } from '../lines/plain-call.ts'

/** Options for sinks that write text lines. */
export interface LineConfig {
  /** Shows `[file:line]`. Default: true. */
  readonly showLocation?: boolean
  /** Shows `[t:<thread id>]`. Default: false. */
  readonly showThreadId?: boolean
  /** Shows `[p:<process id>]`. Default: true in worker processes of `node:cluster` that show the thread ID. */
  readonly showProcessId?: boolean
  /** Shows UTC instead of local time. Default: false. */
  readonly utc?: boolean
  /** Replaces the default form of a line, for example with `{time} {level} {message}`. Default: `[time] [level] …`. */
  readonly pattern?: string
  /** Ignores records below this level. Default: `Level.Trace`. */
  readonly level?: LevelOption
}

/** Checked line options. */
export interface CheckedLineConfig {
  readonly level: Level
  readonly usesLocation: boolean
  readonly compile: (target?: LineTarget) => LinePattern
  /** Compiles the default form for calls without a record; absent if the sink has a custom pattern. */
  readonly compileCalls?: (target?: LineTarget) => PlainForm
}

const LINE_KINDS: OptionKinds<LineConfig> = {
  showLocation: flag,
  showThreadId: flag,
  showProcessId: flag,
  utc: flag,
  // `compileCustomPattern` checks it.
  pattern: anything,
  level: levelKind,
}

/**
 * Checks the options of a sink that writes lines, including its own options.
 *
 * @param api The sink's class, for error messages
 * @param own The kinds of the sink's own options
 * @param meant See `checkOptions`
 * @throws {TypeError | RangeError} if an option does not exist or has an invalid value
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
