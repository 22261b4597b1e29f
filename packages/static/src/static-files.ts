import { showValue, withCode } from '@fw/options'
import type { Router } from '@fw/types'
import { directoryToServe } from './paths/directory.ts'
import { Mount } from './mount.ts'
import { resolveOptions, type StaticFilesOptions } from './options.ts'

/**
 * Registers GET and HEAD routes that serve the files of `directory` under `urlPrefix`. More specific routes take
 * precedence, regardless of registration order.
 *
 * @param urlPrefix `/` for all paths, or a prefix such as `/assets`; parameters are allowed
 * @param directory An absolute path, a path relative to the working directory, or a `file:` URL
 * @throws {TypeError} if the prefix, the URL or an option is invalid
 * @throws {RangeError} if an option is out of range
 * @throws {Error} if the directory does not exist, or the prefix is already registered
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
  // The wildcard matches `/assets/` but not `/assets`. At the root, it matches `/`.
  if (full !== '') router.get(prefix, (ctx) => mount.serve(ctx))
}

/** Returns the prefix without trailing slashes: an empty string for `/`. */
function checkPrefix(urlPrefix: string): string {
  if (typeof urlPrefix !== 'string' || !urlPrefix.startsWith('/')) {
    const fix = typeof urlPrefix === 'string' ? `Use ${JSON.stringify(`/${urlPrefix}`)}.` : 'Use "/" for all paths.'
    throw withCode(
      'FW_INVALID_ARGUMENT',
      new TypeError(
        `staticFiles: urlPrefix must be a string that begins with "/", got ${showValue(urlPrefix)}. ${fix}`,
      ),
    )
  }
  const prefix = urlPrefix.replace(/\/+$/, '')
  if (/\/\/|[*?]/.test(prefix)) {
    throw withCode(
      'FW_INVALID_ARGUMENT',
      new TypeError(
        `staticFiles: urlPrefix must be without empty, optional and wildcard segments, got ${showValue(urlPrefix)}. ` +
          'Remove them: the prefix covers all paths below it.',
      ),
    )
  }
  return prefix
}
