/**
 * An answer with an error status, thrown. It has the shape that `@fw/core` takes for its own `HttpError`, as this
 * package does without that one.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  /** @param message For the client */
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = '1'

/** An answer for what may go well in a moment: 503. */
export function unavailable(message: string): HttpError {
  return new HttpError(503, message, { 'retry-after': RETRY_AFTER })
}
