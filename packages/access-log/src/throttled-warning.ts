/** Between two warnings about the same fault. */
const INTERVAL_MS = 1000

/**
 * Makes a function that warns of a fault in the application's own code, once a second at most, by a process warning:
 * a log record could be mistaken for an entry.
 *
 * @param fault "skipIf of accessLog threw"
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
    // What was thrown throws in turn when it is shown; the entry must not be lost for it.
    return 'a value that cannot be shown'
  }
}

/**
 * Whether a function that has to answer at once gave a promise, as an `async` one does in code without types. Its
 * rejection is caught: it would end the process.
 */
export function isForgottenPromise(value: unknown): boolean {
  if (!(value instanceof Promise)) return false
  value.catch(() => {})
  return true
}
