/** The client went away, or the connection broke, before the exchange was over. */
export class AbortedError extends Error {
  override readonly name = 'AbortedError'
}
