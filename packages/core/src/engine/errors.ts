import { withCode } from '@fw/options'

/**
 * Reports a request that violates the protocol or a limit. The engine answers it with `status`; no handler runs.
 *
 * `scope` names what the error ends: one exchange (`stream`) or all exchanges on the connection (`connection`).
 * HTTP/1.x ignores it and always closes the connection after the response.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly code = 'FW_PROTOCOL'
  readonly status: number
  readonly scope: 'stream' | 'connection'

  constructor(status: number, message: string, scope: 'stream' | 'connection' = 'connection') {
    super(message)
    this.status = status
    this.scope = scope
  }
}

/**
 * Narrows an error to a `ProtocolError`, which the peer caused.
 *
 * @throws `error` itself if it is not a `ProtocolError`
 */
export function asProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  throw error
}

/**
 * Reports that the client disconnected, the connection failed or the server ended it before the exchange was complete.
 *
 * Its name is `AbortError`, like the error for an aborted operation in Node.js and the DOM.
 */
export class AbortedError extends Error {
  override readonly name = 'AbortError'
  readonly code = 'FW_ABORTED'
}

/** The unregistered status that servers log for a client that disconnects before its response. */
export const CLIENT_LEFT = 499

/** Creates the error for an aborted exchange whose cause is unknown. */
export function exchangeAborted(): AbortedError {
  return new AbortedError('The exchange was aborted: the client disconnected or the server ended it')
}

/** Creates the error for the second read of a request body. */
export function bodyAlreadyRead(): TypeError {
  return withCode(
    'FW_BODY_ALREADY_READ',
    new TypeError('Cannot read the body: it was already read or is being read. Read it once, and keep the result.'),
  )
}
