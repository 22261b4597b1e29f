const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** What a shell reports for a process that a signal ended. */
const EXIT_CODE = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Runs `close` on the first SIGINT or SIGTERM; a second one ends the process at once.
 *
 * @returns Stops listening for signals
 */
export function onShutdownSignal(close: (signal: NodeJS.Signals) => void): () => void {
  let isClosing = false
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    if (isClosing) process.exit(EXIT_CODE[signal])
    isClosing = true
    close(signal)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}
