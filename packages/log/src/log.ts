import type { LogStats } from './fan-out.ts'
import type { Level, LevelOption } from './level.ts'
import type { LogFunction } from './log-function.ts'
import type { Logger } from './logger.ts'
import { makeRootLogger, type LogOptions } from './root-logger.ts'
import type { LogSink } from './sinks/log-sink.ts'

const root = makeRootLogger()

/** The global logger as a value, for what takes a `Logger`. */
export const logger: Logger = root

// Live bindings: `setLevel` swaps each for the form that costs least while its level is off.
export let trace: LogFunction = root.trace
export let debug: LogFunction = root.debug
export let info: LogFunction = root.info
export let warn: LogFunction = root.warn
export let error: LogFunction = root.error
export let fatal: LogFunction = root.fatal

function rebind(): void {
  ;({ trace, debug, info, warn, error, fatal } = root)
}

/**
 * Configures the global logger; may be called at any time, and not at all: the first record does it with the defaults.
 *
 * @throws {TypeError} if an option is unknown or has a value of a wrong type; nothing has changed then
 * @throws {RangeError} if a number is out of range; nothing has changed then
 */
export function init(options: LogOptions = {}): void {
  root.configure(options, 'init')
  rebind()
  flushAtExit()
}

export function getLevel(): Level {
  return root.getLevel()
}

/**
 * Sets the threshold of the global logger and its children.
 *
 * @throws {RangeError} if the number is not a level
 * @throws {TypeError} if it is not a number
 */
export function setLevel(level: LevelOption): void {
  root.setLevel(level)
  rebind()
}

/** Whether a record of this level would be made; false for `Level.Off`. */
export function isEnabled(level: Level): boolean {
  return root.isEnabled(level)
}

/** A child of the global logger whose records carry these fields. Exported as `with`. */
export function withFields(fields: Readonly<Record<string, unknown>>): Logger {
  return root.with(fields)
}

/** Adds a sink to the present ones, the default `ConsoleSink` included. @throws {TypeError} if it is not a sink */
export function addSink(sink: LogSink): void {
  root.addSink(sink)
  flushAtExit()
}

/** Flushes the present sinks and replaces them, without closing them. @throws {TypeError} if one is not a sink */
export function setSinks(sinks: readonly LogSink[]): void {
  root.setSinks(sinks)
  flushAtExit()
}

/** Resolves when every sink has handed on what it was given. Never rejects: failures are counted and reported. */
export function flush(): Promise<void> {
  return root.flush()
}

/** Flushes, and ends the writer threads. Later records are written at once; nothing is lost and nothing throws. */
export function shutdown(): void {
  root.shutdown()
}

export function stats(): LogStats {
  return root.stats()
}

let flushesAtExit = false

/** A sink of the application's own may hold records until it is flushed; those of this package hold none. */
function flushAtExit(): void {
  if (flushesAtExit) return
  flushesAtExit = true
  process.on('exit', shutdown)
}
