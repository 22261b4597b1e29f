import type { Logger } from '@fw/log'

/** Of the servers of this process; the first one tells. */
const loggers = new Set<Logger>()

/**
 * Tells of exceptions that no handler of a request has to do with: thrown in a timer, a listener or a promise that nobody
 * waits for. What becomes of the process stays as it is: it ends, unless the application has a listener of its own for
 * 'uncaughtException', and then the record is of level Error and not Fatal.
 *
 * @param logger One of its own for each call
 * @returns Ends that
 */
export function watchUncaught(logger: Logger): () => void {
  if (loggers.size === 0) process.on('uncaughtExceptionMonitor', onUncaught)
  loggers.add(logger)
  return () => {
    loggers.delete(logger)
    if (loggers.size === 0) process.off('uncaughtExceptionMonitor', onUncaught)
  }
}

function onUncaught(error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void {
  const isSurvived = process.listenerCount('uncaughtException') > 0
  for (const logger of loggers) {
    const record = isSurvived ? logger.error : logger.fatal
    record('Uncaught exception of a root task ({}): {}', origin, error)
    return
  }
}
