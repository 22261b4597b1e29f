const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** What a shell reports for a process that a signal ended. */
const EXIT_CODE = { SIGINT: 130, SIGTERM: 143 } as const
/**
 * Within this time the same signal is the same one: a terminal and systemd send it to all processes of a group, and
 * `npm start`, which is one of them, passes it on. Who presses Ctrl-C twice takes about as long, or presses once more.
 */
const ECHO_MS = 250

/**
 * Runs `close` on the first SIGINT or SIGTERM; a second one ends the process at once.
 *
 * @returns Stops listening for signals
 */
export function onShutdownSignal(close: (signal: NodeJS.Signals) => void): () => void {
  let first: NodeJS.Signals | undefined
  let firstMs = 0
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    const nowMs = performance.now()
    if (first !== undefined) {
      if (signal !== first || nowMs - firstMs >= ECHO_MS) process.exit(EXIT_CODE[signal])
      return
    }
    first = signal
    firstMs = nowMs
    close(signal)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}
