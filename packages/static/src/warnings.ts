import { types } from 'node:util'

/** Clients can cause warnings, so that they must not be able to flood the log. */
const INTERVAL_MS = 1000

type Warn = (message: string) => void

/** A reporter of warnings to the log, at most one a second; it says how many were left out. */
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
 * The application's own reporter. Where it fails, be it later, the warning goes to the log: clients can cause one, and no
 * request may fail for it, let alone the process.
 */
export function ownWarnings(report: Warn, fallback: Warn = limitedWarnings()): Warn {
  return (message) => {
    const failed = (error: unknown): void => {
      fallback(`${message} (onWarning failed${types.isNativeError(error) ? `: ${error.message}` : ''})`)
    }
    try {
      // An async function passes the compiler, and its rejection would be fatal.
      const result: unknown = report(message)
      if (types.isPromise(result)) result.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

let logging: Promise<Warn> | undefined

/** Makes a Warn record of `@fw/log`; a warning of the process where that is not installed. */
function reportToLog(message: string): void {
  logging ??= import('@fw/log').then(
    ({ logger }) => {
      const library = logger.withLocation({ file: 'fw:static', line: 0, functionName: '' })
      return (text) => library.warn('{}', text)
    },
    // It is optional: without it the process is told.
    () => (text) => process.emitWarning(text, { type: 'StaticFilesWarning' }),
  )
  void logging.then((warn) => warn(message))
}
