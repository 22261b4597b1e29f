import { FanOut, type LogSink, type LogStats } from './fan-out.ts'
import type { Output } from './gate.ts'
import { checkLevel, Level } from './level.ts'
import { ScopedLogger, type Logger } from './logger.ts'
import { checkOptions } from './options.ts'
import { ConsoleSink } from './sinks/console-sink.ts'

/** Settings of a logger. */
export interface LogOptions {
  /** Records below this level are not made. Default: `Level.Info` */
  readonly level?: Level
  /** Where records go. Default: those there are, at first one `ConsoleSink` */
  readonly sinks?: readonly LogSink[]
}

/** A logger that owns its level and its list of sinks. */
export interface RootLogger extends Logger {
  getLevel(): Level
  /**
   * Sets the threshold, for children too.
   *
   * @throws {RangeError} if the number is no level
   * @throws {TypeError} if it is no number
   */
  setLevel(level: Level): void
  /** Adds a sink to those there are, the default one included; a second time has no effect. @throws {TypeError} if it is none */
  addSink(sink: LogSink): void
  /**
   * Flushes the present sinks and replaces them. They are not closed: who made a sink closes it.
   *
   * @throws {TypeError} if one is no sink
   */
  setSinks(sinks: readonly LogSink[]): void
  /** Resolves when every sink has handed on what it was given. Never rejects: failures are counted and reported. */
  flush(): Promise<void>
  /** Flushes for the last time. Later records are still written; nothing is lost and nothing throws. */
  shutdown(): void
  stats(): LogStats
}

/**
 * Makes a logger with a level and sinks of its own, apart from the global one.
 *
 * @throws {TypeError} if an option is unknown, or a sink or the level is none
 * @throws {RangeError} if the level is a number out of range
 */
export function createLogger(options: LogOptions = {}): RootLogger {
  const logger = makeRootLogger()
  logger.configure(options, 'create logger')
  return logger
}

/** A root logger in its first state: level Info, a `ConsoleSink` when one is needed. */
export function makeRootLogger(): ConfigurableLogger {
  return new ConfigurableLogger({ threshold: Level.Info, fanOut: new FanOut(() => [new ConsoleSink()]) })
}

export class ConfigurableLogger extends ScopedLogger implements RootLogger {
  readonly #output: Output

  constructor(output: Output) {
    super(output, { prefix: '', fields: undefined })
    this.#output = output
  }

  /** Applies all of the options, or none of them if it throws. @param purpose After "Cannot" in messages */
  configure(options: LogOptions, purpose: string): void {
    checkOptions(options, ['level', 'sinks'], purpose)
    const level = checkLevel(options.level ?? Level.Info, purpose)
    if (options.sinks !== undefined) this.#output.fanOut.set(options.sinks)
    this.#output.threshold = level
  }

  getLevel(): Level {
    return this.#output.threshold
  }

  setLevel(level: Level): void {
    this.#output.threshold = checkLevel(level, 'set level')
  }

  addSink(sink: LogSink): void {
    this.#output.fanOut.add(sink)
  }

  setSinks(sinks: readonly LogSink[]): void {
    this.#output.fanOut.set(sinks)
  }

  flush(): Promise<void> {
    return this.#output.fanOut.flush()
  }

  shutdown(): void {
    this.#output.fanOut.flushNow()
  }

  stats(): LogStats {
    return this.#output.fanOut.stats
  }
}
