import { showValue } from '@fw/options'
import type { Router } from '@fw/types'
import { directoryToServe } from './paths/directory.ts'
import { Mount } from './mount.ts'
import { resolveOptions, type StaticFilesOptions } from './options.ts'

/**
 * Serves the files of a directory below a prefix, to GET and HEAD. Routes that are more specific go first, in whatever
 * order they are registered.
 *
 * @param urlPrefix `/` for all paths of the router, or such as `/assets`; may hold parameters
 * @param directory Absolute, relative to the working directory, or a `file:` URL
 * @throws {TypeError} if the prefix, the URL or an option is not valid
 * @throws {RangeError} if an option is out of range
 * @throws {Error} if the directory does not exist, or the prefix is taken
 *
 * @example
 * staticFiles(server.router(), '/assets', new URL('../public/', import.meta.url))
 */
export function staticFiles(
  router: Router,
  urlPrefix: string,
  directory: string | URL,
  options?: StaticFilesOptions,
): void {
  const prefix = checkPrefix(urlPrefix)
  const full = router.prefix + prefix
  const mount = new Mount(directoryToServe(directory), full.split('/').length - 1, resolveOptions(options))
  router.get(`${prefix}/*path`, (ctx) => mount.serve(ctx))
  // The wildcard covers `/assets/`; at the root, `/` is the same as that.
  if (full !== '') router.get(prefix, (ctx) => mount.serve(ctx))
}

/** @returns The prefix without a trailing slash, so '' for `/` */
function checkPrefix(urlPrefix: string): string {
  if (typeof urlPrefix !== 'string' || !urlPrefix.startsWith('/')) {
    const fix = typeof urlPrefix === 'string' ? `Use ${JSON.stringify(`/${urlPrefix}`)}.` : 'Use "/" for all paths.'
    throw new TypeError(
      `staticFiles: urlPrefix must be a string that begins with "/", got ${showValue(urlPrefix)}. ${fix}`,
    )
  }
  const prefix = urlPrefix.replace(/\/+$/, '')
  if (/\/\/|[*?]/.test(prefix)) {
    throw new TypeError(
      `staticFiles: urlPrefix must be without empty, optional and wildcard segments, got ${showValue(urlPrefix)}. ` +
        'Remove them: the prefix covers all paths below it.',
    )
  }
  return prefix
}
