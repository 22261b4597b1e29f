import type { LogRecord, SourceLocation } from '@fw/types'
import { CallSite } from './call-sites/call-site.ts'
import type { FanOut } from './fan-out.ts'
import { templateOf } from './format/format.ts'
import type { Level } from './level.ts'
import type { LogFunction } from './log-function.ts'
import { arePlain } from './lines/plain-call.ts'
import { locationOf, makeRecord, type LogCallee, type Scope } from './record.ts'

/** The state that a logger shares with its children. */
export interface Output {
  threshold: Level
  readonly fanOut: FanOut
}

/**
 * The two forms of a log method: `on` for an enabled level, `off` for a disabled one.
 *
 * `off` avoids rest parameters, which V8 allocates before the first statement of a function. It also avoids `arguments.length`,
 * which costs the same in unoptimized code. Both compare the threshold on each call, so a copy, as in
 * `const { debug } = logger`, follows later changes to the level. The body of `off` begins with `output.fanOut`, so that V8 can
 * inline it: docs/decisions/0015.
 */
export interface Gate {
  readonly on: LogFunction
  readonly off: LogFunction
}

/** Creates both forms of the log method for one level. */
export function makeGate(output: Output, scope: Scope, level: Level): Gate {
  const on = (format: unknown, ...args: unknown[]): void => {
    if (output.threshold <= level) emit(output.fanOut, scope, level, on, format, args)
  }
  const off = (
    format: unknown,
    a?: unknown,
    b?: unknown,
    c?: unknown,
    d?: unknown,
    e?: unknown,
    f?: unknown,
    g?: unknown,
    h?: unknown,
  ): void => {
    if (output.threshold <= level) {
      emit(output.fanOut, scope, level, off, format, given(format, [a, b, c, d, e, f, g, h]))
    }
  }
  return { on, off: off as LogFunction }
}

/** Logs text that is also available as data. The text is never treated as a format. */
export function emitData(
  fanOut: FanOut,
  scope: Scope,
  level: Level,
  callee: LogCallee,
  message: string,
  data: () => LogRecord['data'],
): void {
  const origin = fanOut.usesLocation ? callee : undefined
  if (fanOut.takesCalls) fanOut.deliverCall(level, locationOf(scope, origin), scope.prefix, message, NO_ARGUMENTS)
  else fanOut.deliver(makeRecord(scope, level, origin, message, NO_ARGUMENTS, dataOf(data)))
}

const NO_ARGUMENTS: readonly unknown[] = []

function dataOf(data: () => LogRecord['data']): LogRecord['data'] {
  try {
    return data()
  } catch {
    // A log call must not throw, and the text has the same content.
    return undefined
  }
}

/** Logs a call whose level is enabled. */
export function emit(
  fanOut: FanOut,
  scope: Scope,
  level: Level,
  callee: LogCallee,
  format: unknown,
  args: readonly unknown[],
): void {
  const origin = fanOut.usesLocation ? callee : undefined
  if (CallSite.is(format)) deliver(fanOut, scope, level, origin && format.location, args[0], args.slice(1))
  else deliver(fanOut, scope, level, origin, format, args)
}

function deliver(
  fanOut: FanOut,
  scope: Scope,
  level: Level,
  origin: LogCallee | SourceLocation | undefined,
  format: unknown,
  args: readonly unknown[],
): void {
  if (fanOut.takesCalls && typeof format === 'string' && arePlain(args)) {
    fanOut.deliverCall(level, locationOf(scope, origin), scope.prefix, format, args)
  } else fanOut.deliver(makeRecord(scope, level, origin, format, args))
}

/** Returns the arguments of a call to `off`. Trailing `undefined` counts only if the format needs it. */
function given(format: unknown, values: readonly unknown[]): readonly unknown[] {
  if (CallSite.is(format)) return [values[0], ...given(values[0], values.slice(1))]
  const last = values.findLastIndex((value) => value !== undefined)
  if (last === -1) return []
  return values.slice(0, Math.max(last + 1, arityOf(format, values[0])))
}

/** Returns the number of arguments that a call needs after its first one. */
function arityOf(format: unknown, next: unknown): number {
  if (typeof format === 'string') return templateOf(format).arity
  return typeof next === 'string' ? 1 + templateOf(next).arity : 0
}
