import type { SourceLocation, LogRecord } from '@fw/types'
import { display, UNSHOWABLE } from './text/display.ts'
import type { FormatArgs } from './format/format-args.ts'
import { emit, emitData, makeGate, type Gate, type Output } from './gate.ts'
import { Level } from './level.ts'
import type { LogFunction, NotText } from './log-function.ts'
import type { Scope } from './record.ts'

// Compiled code has a constant of its own module in place, and looks an imported object's up.
const { Trace: TRACE, Debug: DEBUG, Info: INFO, Warn: WARN, Error: ERROR, Fatal: FATAL, Off: OFF } = Level

/** Logs at a level that is known only at run time. `Level.Off` logs nothing. */
export interface LevelLogFunction {
  /** Logs a message. See `LogFunction` for formats. */
  <const F extends string>(level: Level, format: F, ...args: FormatArgs<F>): void
  /** Logs an error with its stack and its causes. */
  <E>(level: Level, error: E & NotText<E>): void
  /** Logs a message, and after it an error with its stack and its causes. */
  <E, const F extends string>(level: Level, error: E & NotText<E>, format: F, ...args: FormatArgs<F>): void
  /** Repeats the first signature, which the compiler explains if none fits. */
  <const F extends string>(level: Level, format: F, ...args: FormatArgs<F>): void
}

/** Makes records. What takes a logger should ask for no more than this. */
export interface Logger {
  readonly trace: LogFunction
  readonly debug: LogFunction
  readonly info: LogFunction
  readonly warn: LogFunction
  /** Returns when the record, and everything before it, has been handed to the operating system. */
  readonly error: LogFunction
  /** As `error`. Does not end the process. */
  readonly fatal: LogFunction
  /** Logs at a level that is known only at run time. */
  readonly log: LevelLogFunction
  /**
   * Logs a text together with its content as named values. Text sinks write the text, `JsonSink` writes the values next
   * to `time` and `level`, and other sinks receive both, as `message` and `data`.
   *
   * @param message The text, never treated as a format
   * @param data Returns the values. Not called if every sink writes only text
   *
   * @example
   * logger.logData(Level.Info, 'GET /users 200', () => ({ method: 'GET', path: '/users', status: 200 }))
   */
  logData(level: Level, message: string, data: () => Readonly<Record<string, unknown>>): void
  /** Whether a record of this level would be made; false for `Level.Off`. */
  isEnabled(level: Level): boolean
  /** A logger whose records carry these fields besides those of this one; of two with the same name the new one holds. */
  with(fields: Readonly<Record<string, unknown>>): Logger
  /** A logger whose messages start with this text too. It is never taken for a format. */
  withPrefix(prefix: string): Logger
  /** A logger whose records all have this location, or none. Finding the caller's, the costliest part, is saved. */
  withLocation(location: SourceLocation | undefined): Logger
}

/** A logger for an output that it may share with others. */
export class ScopedLogger implements Logger {
  readonly #output: Output
  readonly #scope: Scope
  // Each made when first used: most loggers of a request never use most levels. Fields and not a list by level, which
  // would double what a call below the threshold costs.
  #trace: Gate | undefined = undefined
  #debug: Gate | undefined = undefined
  #info: Gate | undefined = undefined
  #warn: Gate | undefined = undefined
  #error: Gate | undefined = undefined
  #fatal: Gate | undefined = undefined
  #log: LevelLogFunction | undefined = undefined

  constructor(output: Output, scope: Scope) {
    this.#output = output
    this.#scope = scope
  }

  get trace(): LogFunction {
    const gate = (this.#trace ??= this.#gate(TRACE))
    return this.#output.threshold <= TRACE ? gate.on : gate.off
  }

  get debug(): LogFunction {
    const gate = (this.#debug ??= this.#gate(DEBUG))
    return this.#output.threshold <= DEBUG ? gate.on : gate.off
  }

  get info(): LogFunction {
    const gate = (this.#info ??= this.#gate(INFO))
    return this.#output.threshold <= INFO ? gate.on : gate.off
  }

  get warn(): LogFunction {
    const gate = (this.#warn ??= this.#gate(WARN))
    return this.#output.threshold <= WARN ? gate.on : gate.off
  }

  get error(): LogFunction {
    const gate = (this.#error ??= this.#gate(ERROR))
    return this.#output.threshold <= ERROR ? gate.on : gate.off
  }

  get fatal(): LogFunction {
    const gate = (this.#fatal ??= this.#gate(FATAL))
    return this.#output.threshold <= FATAL ? gate.on : gate.off
  }

  get log(): LevelLogFunction {
    return (this.#log ??= this.#makeLog())
  }

  isEnabled(level: Level): boolean {
    return level >= this.#output.threshold && level < OFF
  }

  logData(level: Level, message: string, data: () => Readonly<Record<string, unknown>>): void {
    if (this.isEnabled(level)) emitData(this.#output.fanOut, this.#scope, level, this.logData, message, data)
  }

  with(fields: Readonly<Record<string, unknown>>): Logger {
    return new ScopedLogger(this.#output, { ...this.#scope, fields: mergeFields(this.#scope.fields, fields) })
  }

  withPrefix(prefix: string): Logger {
    return new ScopedLogger(this.#output, { ...this.#scope, prefix: this.#scope.prefix + display(prefix) })
  }

  withLocation(location: SourceLocation | undefined): Logger {
    return new ScopedLogger(this.#output, { ...this.#scope, location })
  }

  #gate(level: Level): Gate {
    return makeGate(this.#output, this.#scope, level)
  }

  #makeLog(): LevelLogFunction {
    const log = (level: Level, format: unknown, ...args: unknown[]): void => {
      if (this.isEnabled(level)) emit(this.#output.fanOut, this.#scope, level, log, format, args)
    }
    return log
  }
}

/** Fields of a logger and of its child; of two with the same name the child's holds. Never throws. */
function mergeFields(
  fields: LogRecord['fields'],
  more: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  try {
    return { ...fields, ...more }
  } catch {
    // Code of the application threw, such as a getter.
    return { ...fields, ...readableFields(more) }
  }
}

function readableFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const readable: Record<string, unknown> = {}
  for (const name of namesOf(fields)) {
    try {
      readable[name] = fields[name]
    } catch {
      readable[name] = UNSHOWABLE
    }
  }
  return readable
}

function namesOf(fields: object): string[] {
  try {
    return Object.keys(fields)
  } catch {
    // A proxy that does not tell.
    return []
  }
}
