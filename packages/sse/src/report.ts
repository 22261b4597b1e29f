/** Reports what a callback of the application threw: the events of others must not suffer from it. */
export function reportThrown(callback: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.emitWarning(`${callback} threw: ${text}`, 'SseWarning')
}
