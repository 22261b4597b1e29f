/** The listener methods that closing uses. */
interface Drainable {
  /** Stops accepting connections. Resolves when every connection has ended. */
  drain(drainMs: number, whole: boolean): Promise<void>
  /** Destroys every connection immediately. */
  destroy(): void
}

/**
 * Drains a listener: waits for requests in progress, then destroys the connections that remain after `drainMs`.
 *
 * `listening/tcp-listener.ts` stops accepting. `drain()` in `connection.ts` of each engine serves the received
 * requests, announces the end and closes.
 *
 * @param drainMs Milliseconds that in-flight requests have to finish
 * @param whole Whether the whole server closes with the listener; worker processes need this information
 * @param onCutOff Called before connections are destroyed at the deadline, but not if `drainMs` is 0
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
