/** The parts of a listener that end it. */
interface Drainable {
  /** Stops accepting, and resolves when every connection has ended. */
  drain(drainMs: number, whole: boolean): Promise<void>
  /** Ends every connection now. */
  destroy(): void
}

/**
 * Drains a listener: lets requests in progress finish, and destroys the connections that remain after `drainMs`.
 *
 * `listening/tcp-listener.ts` stops accepting. `drain()` in `connection.ts` of each engine serves what has arrived,
 * announces the end and closes.
 *
 * @param whole Whether the process ends with the listener, which worker processes need to know
 * @param onCutOff Is called before connections are destroyed because the time is over
 */
export async function drain(listener: Drainable, drainMs: number, whole: boolean, onCutOff: () => void): Promise<void> {
  const deadline = setTimeout(() => {
    if (drainMs > 0) onCutOff()
    listener.destroy()
  }, drainMs)
  try {
    await listener.drain(drainMs, whole)
  } finally {
    clearTimeout(deadline)
  }
}
