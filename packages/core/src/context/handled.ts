/**
 * A handler may start reading now and await later. In between a client that goes away must not become an unhandled
 * rejection, which would end the process.
 */
export function handled<T>(reading: Promise<T>): Promise<T> {
  reading.catch(() => {})
  return reading
}
