import { HttpError, withCode } from '@fw/options'
import type { Context } from '@fw/types'
import type { FileFailure } from '../files/file-failure.ts'

/** Seconds after which a client should try again. */
const RETRY_AFTER = '1'

/** Returns a 503 with `Retry-After`, for a temporary failure. */
export function unavailable(message: string): HttpError {
  return withCode('FW_FILE_UNAVAILABLE', new HttpError(503, message, { 'retry-after': RETRY_AFTER }))
}

/**
 * Answers a request for a file that cannot be opened. The response is the same 404 for every reason, so that it does not reveal
 * the reason.
 *
 * @throws {HttpError} 503 if the process or system has no free file descriptor
 */
export async function refuse(
  ctx: Context,
  failure: FileFailure,
  path: string,
  warn: (message: string) => void,
): Promise<void> {
  if (failure === 'exhausted') throw unavailable('No more files can be opened at the moment')
  if (failure === 'forbidden') warn(`Cannot open ${path}: permission denied`)
  if (failure === 'outside') warn(`Cannot send ${path}: a link leads out of the directory, or must not be followed`)
  await ctx.notFound()
}
