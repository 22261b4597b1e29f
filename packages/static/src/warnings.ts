import { types } from 'node:util'

/** Minimum milliseconds between two warnings, because requests cause them and must not flood the log. */
const INTERVAL_MS = 1000

type Warn = (message: string) => void

/** Returns a function that reports at most one warning per second and counts the omitted ones. */
export function limitedWarnings(report: Warn = reportToLog): Warn {
  let nextMs = 0
  let omitted = 0
  return (message) => {
    const nowMs = performance.now()
    if (nowMs < nextMs) {
      omitted++
      return
    }
    const suffix = omitted === 0 ? '' : ` (and ${omitted} more warnings since the last one)`
    nextMs = nowMs + INTERVAL_MS
    omitted = 0
    report(message + suffix)
  }
}

/**
 * Wraps the application's `onWarning`. If it throws or rejects, logs the warning instead, because a warning must not fail the
 * request or end the process.
 */
export function ownWarnings(report: Warn, fallback: Warn = limitedWarnings()): Warn {
  return (message) => {
    const failed = (error: unknown): void => {
      fallback(`${message} (onWarning failed${types.isNativeError(error) ? `: ${error.message}` : ''})`)
    }
    try {
      // TypeScript accepts an async function here, and its rejection would end the process.
      const result: unknown = report(message)
      if (types.isPromise(result)) result.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

let logging: Promise<Warn> | undefined

/**
 * Loads `@fw/log`, or returns a function that emits process warnings if that package is not installed. A mount loads the
 * package early, because a process that later drops its privileges can lose the permission to read modules.
 */
export function loadLog(): Promise<Warn> {
  logging ??= import('@fw/log').then(
    ({ logger }) => {
      const library = logger.withLocation({ file: 'fw:static', line: 0, functionName: '' })
      return (text) => library.warn('{}', text)
    },
    // `@fw/log` is an optional dependency.
    () => (text) => process.emitWarning(text, { type: 'StaticFilesWarning' }),
  )
  return logging
}

/** Logs a Warn record, or emits a process warning without `@fw/log`. */
function reportToLog(message: string): void {
  void loadLog().then((warn) => warn(message))
}
