import { createLogger, Level, logger as globalLogger, type Logger, type RootLogger } from '@fw/log'
import type { AccessLogConfig } from './config/config.ts'

/** Returns the logger for entries: a new logger for `sinks`, otherwise `logger`, otherwise the global logger. */
export function entriesLogger({ sinks, logger = globalLogger }: AccessLogConfig): Logger {
  if (sinks === undefined) return logger
  const own = createLogger({ level: Level.Trace, sinks })
  if (flushed.length === 0) process.on('exit', flushAll)
  flushed.push(own)
  return own
}

/** Loggers whose sinks can buffer entries until they are flushed. */
const flushed: RootLogger[] = []

function flushAll(): void {
  for (const logger of flushed) logger.shutdown()
}
