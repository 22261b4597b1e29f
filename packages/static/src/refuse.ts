import type { Context } from '@fw/types'
import type { FileFailure } from './file-failure.ts'

/** Seconds after which a client may try again when the process is out of descriptors. */
const RETRY_AFTER = '1'

/** Answers for a file that cannot be had. One answer, 404, for everything that is not served, so that it tells nothing. */
export async function refuse(
  ctx: Context,
  failure: FileFailure,
  path: string,
  warn: (message: string) => void,
): Promise<void> {
  if (failure === 'exhausted') {
    warn(`Cannot open ${path}: the process or the system is out of file descriptors`)
    ctx.responseHeaders.set('retry-after', RETRY_AFTER)
    ctx.empty(503)
    return
  }
  if (failure === 'forbidden') warn(`Cannot open ${path}: permission denied`)
  await ctx.notFound()
}
