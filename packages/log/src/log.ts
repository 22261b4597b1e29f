import type { LogStats } from './fan-out.ts'
import type { Level, LevelOption } from './level.ts'
import type { LogFunction } from './log-function.ts'
import type { Logger } from './logger.ts'
import { makeRootLogger, type LogOptions } from './root-logger.ts'
import type { LogSink } from './sinks/log-sink.ts'

const root = makeRootLogger()

/** The global logger, for code that accepts a `Logger`. */
export const logger: Logger = root

// `setLevel` replaces these live bindings. While a level is off, its function only compares the threshold.
/** Logs at level Trace: the finest details, such as each packet. See `LogFunction`. */
export let trace: LogFunction = root.trace
/** Logs at level Debug: details that help to find a bug. See `LogFunction`. */
export let debug: LogFunction = root.debug
/** Logs at level Info: normal events, such as a start. The default level. See `LogFunction`. */
export let info: LogFunction = root.info
/** Logs at level Warn: unexpected events that the application handles. See `LogFunction`. */
export let warn: LogFunction = root.warn
/** Logs at level Error, and returns after the operating system has accepted this and all earlier records. See `LogFunction`. */
export let error: LogFunction = root.error
/**
 * Logs at level Fatal, and returns after the operating system has accepted the record. Does not end the process. See
 * `LogFunction`.
 */
export let fatal: LogFunction = root.fatal

function rebind(): void {
  ;({ trace, debug, info, warn, error, fatal } = root)
}

/**
 * Configures the global logger. Can be called repeatedly and at any time. Without a call, the defaults apply: level Info, a
 * `ConsoleSink`, synchronous mode.
 *
 * @throws {TypeError} if an option does not exist or a value has the wrong type; then nothing changes
 * @throws {RangeError} if a number is out of range; then nothing changes
 *
 * @example
 * log.init({ level: 'debug', sinks: [new log.ConsoleSink(), new log.FileSink('app.log')] })
 */
export function init(options: LogOptions = {}): void {
  root.configure(options, 'init')
  rebind()
  flushAtExit()
}

/** Returns the threshold of the global logger. */
export function getLevel(): Level {
  return root.getLevel()
}

/**
 * Sets the threshold of the global logger and its children.
 *
 * @throws {RangeError} if a number is not a level
 * @throws {TypeError} if any other value is not a level name
 */
export function setLevel(level: LevelOption): void {
  root.setLevel(level)
  rebind()
}

/** Reports whether the global logger logs at a level; false for `Level.Off`. */
export function isEnabled(level: Level): boolean {
  return root.isEnabled(level)
}

/** Returns a child of the global logger whose records carry these fields. Exported as `with`. */
export function withFields(fields: Readonly<Record<string, unknown>>): Logger {
  return root.with(fields)
}

/**
 * Adds a sink to the current ones, including the default `ConsoleSink`.
 *
 * @throws {TypeError} if the argument is not a sink
 */
export function addSink(sink: LogSink): void {
  root.addSink(sink)
  flushAtExit()
}

/** Flushes the current sinks and replaces them. Does not close them. @throws {TypeError} if one is not a sink */
export function setSinks(sinks: readonly LogSink[]): void {
  root.setSinks(sinks)
  flushAtExit()
}

/** Flushes every sink. Never rejects: failures are counted in `stats().sinkErrors` and reported on stderr. */
export function flush(): Promise<void> {
  return root.flush()
}

/** Flushes and ends the writer threads. Later records are written synchronously, so no record is lost. Never throws. */
export function shutdown(): void {
  root.shutdown()
}

/** Returns the counters of the global logger. */
export function stats(): LogStats {
  return root.stats()
}

let flushesAtExit = false

/** Flushes at exit, because the application's sinks can buffer records. This package's sinks do not. */
function flushAtExit(): void {
  if (flushesAtExit) return
  flushesAtExit = true
  process.on('exit', shutdown)
}
