const SIGNALS = ['SIGINT', 'SIGTERM'] as const
type ShutdownSignal = (typeof SIGNALS)[number]

/** Exit codes that shells report for a process that a signal ended. */
const EXIT_CODE = { SIGINT: 130, SIGTERM: 143 } as const
/**
 * Milliseconds for which a repeated signal is ignored. A terminal and systemd signal the whole process group. The
 * group can include `npm start`, which forwards the signal to this process again. Two deliberate presses of Ctrl-C are
 * at least this far apart.
 */
const ECHO_MS = 250
/** Milliseconds for the event loop to become empty, so that a process without application timers emits 'beforeExit'. */
const EXIT_GRACE_MS = 10

type Close = (signal: NodeJS.Signals) => Promise<void>

const closes = new Set<Close>()
let first: ShutdownSignal | undefined
let firstMs = 0

/**
 * Calls `close` on the first SIGINT or SIGTERM, and ends the process when all servers have closed. Does not end the
 * process if the application also listens for the signal. A second signal ends the process immediately.
 *
 * @returns A function that removes `close`
 */
export function onShutdownSignal(close: Close): () => void {
  // The listener that runs first can count the application's listeners, even those added with `once`.
  if (closes.size === 0) for (const signal of SIGNALS) process.prependListener(signal, onSignal)
  closes.add(close)
  return () => {
    if (!closes.delete(close) || closes.size > 0) return
    for (const signal of SIGNALS) process.off(signal, onSignal)
    first = undefined
  }
}

/** Ends the process even if the application's timers or sockets keep it alive. */
export function endProcess(): void {
  setTimeout(() => process.exit(), EXIT_GRACE_MS).unref()
}

function onSignal(signal: ShutdownSignal): void {
  const nowMs = performance.now()
  if (first !== undefined) {
    if (signal !== first || nowMs - firstMs >= ECHO_MS) process.exit(EXIT_CODE[signal])
    return
  }
  first = signal
  firstMs = nowMs
  // An application with its own listener decides when its cleanup is complete.
  const isShared = process.listenerCount(signal) > 1
  void Promise.allSettled(Array.from(closes, (close) => close(signal))).then(() => isShared || endProcess())
}
