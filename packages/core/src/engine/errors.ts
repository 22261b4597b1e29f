/**
 * A request that breaks the protocol or a limit, so the engine responses it without asking the application.
 *
 * `scope` says what ends: the one exchange (`stream`) or the whole connection (`connection`).
 * On HTTP/1.x there is no difference: the connection closes after the response.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly status: number
  readonly scope: 'stream' | 'connection'

  constructor(status: number, message: string, scope: 'stream' | 'connection' = 'connection') {
    super(message)
    this.status = status
    this.scope = scope
  }
}

/**
 * What a peer has done wrong.
 *
 * @throws whatever else `error` is
 */
export function asProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  throw error
}

/**
 * Reports that the client went away, or the connection broke, before the exchange was over.
 *
 * Handlers see the name that Node.js and the DOM give such errors.
 */
export class AbortedError extends Error {
  override readonly name = 'AbortError'
}
