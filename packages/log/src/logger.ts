import type { SourceLocation } from '@fw/types'
import { display } from './display.ts'
import { mergeFields } from './fields.ts'
import type { FormatArgs } from './format-args.ts'
import { emit, makeGate, type Gate, type LogFunction, type Output } from './gate.ts'
import { Level } from './level.ts'
import type { Scope } from './record.ts'

/** Makes one record of a level that is known at run time only. `Level.Off` makes none. */
export type LevelLogFunction = <const F extends string>(level: Level, format: F, ...args: FormatArgs<F>) => void

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
  readonly log: LevelLogFunction
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
  /** By level, made when first used: most loggers of a request never use most levels. */
  readonly #gates: (Gate | undefined)[] = []
  #log: LevelLogFunction | undefined

  constructor(output: Output, scope: Scope) {
    this.#output = output
    this.#scope = scope
  }

  get trace(): LogFunction {
    return this.#method(Level.Trace)
  }

  get debug(): LogFunction {
    return this.#method(Level.Debug)
  }

  get info(): LogFunction {
    return this.#method(Level.Info)
  }

  get warn(): LogFunction {
    return this.#method(Level.Warn)
  }

  get error(): LogFunction {
    return this.#method(Level.Error)
  }

  get fatal(): LogFunction {
    return this.#method(Level.Fatal)
  }

  get log(): LevelLogFunction {
    const log = (level: Level, format: unknown, ...args: unknown[]): void => {
      if (this.isEnabled(level)) emit(this.#output, this.#scope, level, log, format, args)
    }
    return (this.#log ??= log as LevelLogFunction)
  }

  isEnabled(level: Level): boolean {
    return level >= this.#output.threshold && level < Level.Off
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

  #method(level: Level): LogFunction {
    const gate = (this.#gates[level] ??= makeGate(this.#output, this.#scope, level))
    return this.#output.threshold <= level ? gate.on : gate.off
  }
}
