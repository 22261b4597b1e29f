import type { Logger } from '@fw/log'

/** Told already, by the first of several servers. */
const told = new WeakSet<object>()

/**
 * Tells of exceptions that no handler of a request has to do with: thrown in a timer, a listener or a promise that nobody
 * waits for. What becomes of the process stays as it is: it ends, unless the application has a listener of its own for
 * 'uncaughtException', and then the record is of level Error and not Fatal.
 *
 * @returns Ends that
 */
export function watchUncaught(logger: Logger): () => void {
  const onUncaught = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void => {
    if (typeof error === 'object' && error !== null) {
      if (told.has(error)) return
      told.add(error)
    }
    const isSurvived = process.listenerCount('uncaughtException') > 0
    const record = isSurvived ? logger.error : logger.fatal
    record('Uncaught exception of a root task ({}): {}', origin, error)
  }
  process.on('uncaughtExceptionMonitor', onUncaught)
  return () => void process.off('uncaughtExceptionMonitor', onUncaught)
}
