export { Level, levelName, parseLevel, type LevelName, type LevelOption } from './level.ts'
export {
  addSink,
  debug,
  error,
  fatal,
  flush,
  getLevel,
  info,
  init,
  isEnabled,
  logger,
  setLevel,
  setSinks,
  shutdown,
  stats,
  trace,
  warn,
  withFields as with,
} from './log.ts'
export {
  debug as FW_LOG_DEBUG,
  error as FW_LOG_ERROR,
  fatal as FW_LOG_FATAL,
  info as FW_LOG_INFO,
  trace as FW_LOG_TRACE,
  warn as FW_LOG_WARN,
} from './log.ts'
export { callSite, type CallSite } from './call-sites/call-site.ts'
export { createLogger, type LogOptions, type RootLogger } from './root-logger.ts'
export type { LevelLogFunction, Logger } from './logger.ts'
export type { LogFunction, NotText } from './log-function.ts'
export { runtime, type FormatArgs, type FormatError, type RuntimeFormat } from './format/format-args.ts'
export type { LogStats } from './fan-out.ts'
export { ColorMode } from './sinks/color.ts'
export { ConsoleSink, type ConsoleSinkConfig } from './sinks/console-sink.ts'
export { FileSink, type FileSinkConfig } from './sinks/file-sink.ts'
export { JsonSink, type JsonSinkConfig } from './sinks/json-sink.ts'
export type { LineConfig } from './sinks/line-config.ts'
export type { PlainCall } from './lines/plain-call.ts'
export { sinkAbilities, type LogSink, type SinkAbilities } from './sinks/log-sink.ts'
export type { RotateConfig } from './sinks/rotation.ts'
export type { Overflow, QueueSettings } from './async/queued-writer.ts'
export { MemorySink, type MemorySinkConfig } from './sinks/memory-sink.ts'
export type { LevelNumber, LogRecord, Sink, SourceLocation } from '@fw/types'
