import type { Context } from '@fw/types'
import type { FileFailure } from '../files/file-failure.ts'

/** Marks an error as a response for `@fw/core`, which this package does not import. */
const HTTP_ERROR = Symbol.for('@fw/core: HttpError')

/** A response with an error status, thrown. It has the mark and the properties of the `HttpError` of `@fw/core`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  static {
    Object.defineProperty(this.prototype, HTTP_ERROR, { value: true })
  }

  /** @param message For the client */
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Seconds after which a client may try again. */
const RETRY_AFTER = '1'

/** A response for what may go well in a moment: 503. */
export function unavailable(message: string): HttpError {
  return new HttpError(503, message, { 'retry-after': RETRY_AFTER })
}

/**
 * Responses for a file that cannot be had. One response, 404, for everything that is not served, so that it tells nothing.
 *
 * @throws {HttpError} 503 if no descriptor is left
 */
export async function refuse(
  ctx: Context,
  failure: FileFailure,
  path: string,
  warn: (message: string) => void,
): Promise<void> {
  if (failure === 'exhausted') throw unavailable('No file can be opened at the moment')
  if (failure === 'forbidden') warn(`Cannot open ${path}: permission denied`)
  if (failure === 'outside') warn(`Cannot send ${path}: a link leads out of the directory, or must not be followed`)
  await ctx.notFound()
}
