/** Clients can cause warnings, so that they must not be able to flood the log. */
const INTERVAL_MS = 1000

/** A reporter of warnings about the process, at most one a second; it says how many were left out. */
export function limitedWarnings(): (message: string) => void {
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
    process.emitWarning(message + suffix, { type: 'StaticFilesWarning' })
  }
}
