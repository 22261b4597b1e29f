import type { Context } from '@fw/types'
import type { FileFailure } from './file-failure.ts'
import { HttpError } from './http-error.ts'

/** Seconds after which a client may try again when the process is out of descriptors. */
const RETRY_AFTER = '1'

/**
 * Answers for a file that cannot be had. One answer, 404, for everything that is not served, so that it tells nothing.
 *
 * @throws {HttpError} 503 if no descriptor is left
 */
export async function refuse(
  ctx: Context,
  failure: FileFailure,
  path: string,
  warn: (message: string) => void,
): Promise<void> {
  if (failure === 'exhausted') {
    throw new HttpError(503, 'No file can be opened at the moment', { 'retry-after': RETRY_AFTER })
  }
  if (failure === 'forbidden') warn(`Cannot open ${path}: permission denied`)
  await ctx.notFound()
}
