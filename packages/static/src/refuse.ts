import type { Context } from '@fw/types'
import type { FileFailure } from './file-failure.ts'
import { unavailable } from './http-error.ts'

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
  if (failure === 'exhausted') throw unavailable('No file can be opened at the moment')
  if (failure === 'forbidden') warn(`Cannot open ${path}: permission denied`)
  if (failure === 'outside') warn(`Cannot send ${path}: a link leads out of the directory, or must not be followed`)
  await ctx.notFound()
}
