import type { SourceLocation, LogRecord } from '@fw/types'
import { display, UNSHOWABLE } from './text/display.ts'
import type { FormatArgs } from './format/format-args.ts'
import { emit, emitData, makeGate, type Gate, type Output } from './gate.ts'
import { Level } from './level.ts'
import type { LogFunction, NotText } from './log-function.ts'
import type { Scope } from './record.ts'

// V8 inlines constants of the same module, but looks up the properties of an imported object.
const { Trace: TRACE, Debug: DEBUG, Info: INFO, Warn: WARN, Error: ERROR, Fatal: FATAL, Off: OFF } = Level

/** Logs at a level that is known only at run time. `Level.Off` logs nothing. */
export interface LevelLogFunction {
  /** Logs a message. See `LogFunction` for formats. */
  <const F extends string>(level: Level, format: F, ...args: FormatArgs<F>): void
  /** Logs an error with its stack and its causes. */
  <E>(level: Level, error: E & NotText<E>): void
  /** Logs a message followed by an error with its stack and its causes. */
  <E, const F extends string>(level: Level, error: E & NotText<E>, format: F, ...args: FormatArgs<F>): void
  /** Repeats the first signature, because the compiler's error explains the last one if none matches. */
  <const F extends string>(level: Level, format: F, ...args: FormatArgs<F>): void
}

/** Logs messages. Functions that need a logger should accept this type, which every logger implements. */
export interface Logger {
  /** Logs at level Trace: the finest details, such as each packet. */
  readonly trace: LogFunction
  /** Logs at level Debug: details that help to find a bug. */
  readonly debug: LogFunction
  /** Logs at level Info: normal events, such as a start. */
  readonly info: LogFunction
  /** Logs at level Warn: unexpected events that the application handles. */
  readonly warn: LogFunction
  /** Logs at level Error, and returns after the operating system has accepted this and all earlier records. */
  readonly error: LogFunction
  /** Logs at level Fatal, and returns after the operating system has accepted the record. Does not end the process. */
  readonly fatal: LogFunction
  /** Logs at a level that is known only at run time. */
  readonly log: LevelLogFunction
  /**
   * Logs text together with its content as named values. Text sinks write the text. `JsonSink` writes the values next to `time`
   * and `level`. Other sinks receive both, as `message` and `data`.
   *
   * @param message The text, never treated as a format
   * @param data Returns the values. Not called if all sinks write only text
   *
   * @example
   * logger.logData(Level.Info, 'GET /users 200', () => ({ method: 'GET', path: '/users', status: 200 }))
   */
  logData(level: Level, message: string, data: () => Readonly<Record<string, unknown>>): void
  /** Reports whether this logger logs at a level; false for `Level.Off`. */
  isEnabled(level: Level): boolean
  /** Returns a logger whose records also carry these fields. A new field replaces one with the same name. */
  with(fields: Readonly<Record<string, unknown>>): Logger
  /** Returns a logger that puts this text before each message. The text is never treated as a format. */
  withPrefix(prefix: string): Logger
  /** Returns a logger with one location, or none, for all records. This avoids the cost of finding each caller. */
  withLocation(location: SourceLocation | undefined): Logger
}

/** A logger that shares its output with its parent and its children. */
export class ScopedLogger implements Logger {
  readonly #output: Output
  readonly #scope: Scope
  // Each function is created on first use, because a request logger uses few levels. An array instead of fields would double
  // the cost of a call below the threshold.
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
    // oxlint-disable-next-line typescript/unbound-method -- the method only identifies the frame whose caller is the location
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

/**
 * Returns the fields of a logger combined with those of its child. A child's field replaces one with the same name. Never
 * throws.
 */
function mergeFields(
  fields: LogRecord['fields'],
  more: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  try {
    return { ...fields, ...more }
  } catch {
    // An application getter threw.
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
    // A proxy trap threw.
    return []
  }
}
