/** The listener methods that closing uses. */
interface Drainable {
  /** Stops accepting connections. Resolves when every connection has ended. */
  drain(drainMs: number, whole: boolean): Promise<void>
  /** Destroys every connection immediately. */
  destroy(): void
}

/**
 * Drains a listener. Waits for requests in progress, then destroys the connections that remain after `drainMs`.
 *
 * `listening/tcp-listener.ts` stops accepting connections. In each engine, `drain()` in `connection.ts` serves the
 * received requests, announces the end and closes the connection.
 *
 * @param drainMs Milliseconds within which in-flight requests must finish
 * @param whole Whether the whole server is closing, and not only this listener. Worker processes treat the two cases
 * differently
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
