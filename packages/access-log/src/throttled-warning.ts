/** The minimum time between two warnings about the same error. */
const INTERVAL_MS = 1000

/**
 * Returns a function that warns about an error in the application's code, at most once a second. It emits a process
 * warning, because a log record could be mistaken for an entry.
 *
 * @param fault The first part of the warning: "skipIf of accessLog threw"
 */
export function throttledWarning(fault: string): (error: unknown) => void {
  let nextMs = -Infinity
  return (error) => {
    const nowMs = performance.now()
    if (nowMs < nextMs) return
    nextMs = nowMs + INTERVAL_MS
    process.emitWarning(`${fault}: ${shown(error)}`, 'AccessLogWarning')
  }
}

function shown(error: unknown): string {
  try {
    return String(error)
  } catch {
    // Ignore this second error, because the entry must still be logged.
    return 'a value that cannot be shown'
  }
}

/**
 * Reports whether a synchronous function returned a promise, as an `async` function in JavaScript code does. Catches its
 * rejection, which would end the process.
 */
export function isForgottenPromise(value: unknown): boolean {
  if (!(value instanceof Promise)) return false
  value.catch(() => {})
  return true
}
