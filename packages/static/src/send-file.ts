import { stat } from 'node:fs/promises'
import { inspect } from 'node:util'
import type { Context } from '@fw/types'
import { attachment } from './http/content-disposition.ts'
import { deliver } from './deliver.ts'
import { absolutePath, checkDirectory, withSeparator } from './paths/directory.ts'
import { locateName } from './paths/locate.ts'
import type { PathGuards } from './options.ts'
import { checkOptions, FLAG, TEXT, type Rule } from './option-rules.ts'
import { readWhole } from './files/read-whole.ts'
import { refuse } from './http/http-error.ts'
import { represent } from './http/representation.ts'
import { openSource, WHOLE_BYTES } from './files/source.ts'
import { limitedWarnings } from './warnings.ts'

/** How one file is sent. */
export interface SendFileOptions {
  /**
   * Directory that the path is relative to and must not leave, by `..`, links or otherwise: for paths that come from a
   * request. Without it the path is trusted.
   */
  readonly root?: string | URL
  /** Lets browsers save the file: under the name given, or its own for `true`. */
  readonly download?: boolean | string
  /** Value of `Content-Type`; found by the extension unless given or prepared in the context. */
  readonly contentType?: string
  /** Value of `Cache-Control`. */
  readonly cacheControl?: string
  /** Sends a strong `ETag`. Default true. */
  readonly etag?: boolean
  /** Sends `Last-Modified`. Default true. */
  readonly lastModified?: boolean
}

const GUARDS: PathGuards = { dotfiles: 'deny', dotdot: 'segment' }
const RULES: Readonly<Record<keyof SendFileOptions, Rule>> = {
  root: ['a path or a file: URL', (value) => typeof value === 'string' || value instanceof URL],
  download: ['true, false or a name', (value) => typeof value === 'boolean' || typeof value === 'string'],
  contentType: TEXT,
  cacheControl: TEXT,
  etag: FLAG,
  lastModified: FLAG,
}
const warn = limitedWarnings()

/**
 * Responses with a file: 200, or 206, 304, 412 and 416 as the request asks; 404 as `ctx.notFound()` does if there is no
 * such regular file. Fields already prepared in the context are sent along.
 *
 * @param path Absolute, or relative to `root` or else to the working directory; or a `file:` URL
 * @throws {TypeError} if an option is unknown or of the wrong kind, `root` is empty or `undefined`, or a URL is no
 *   `file:` URL
 * @throws {Error} if `root` is no directory
 *
 * @example
 * router.get('/reports/:name', (ctx) => sendFile(ctx, ctx.params.name, { root: 'reports', download: true }))
 */
export async function sendFile(ctx: Context, path: string | URL, options: SendFileOptions = {}): Promise<void> {
  checkOptions('sendFile', options, RULES)
  // A variable that is not set must not make a path of a request a trusted one.
  if ('root' in options && options.root === undefined) {
    throw new TypeError("Option 'root' for sendFile is undefined: leave it out if the path is to be trusted")
  }
  const place = placeOf(path, options.root)
  if (place === undefined) {
    await ctx.notFound()
    return
  }
  const { file, base } = place
  const failure = await deliver(ctx, {
    open: () => openSource(file, base ?? '', base === undefined ? 'follow' : 'inside'),
    describe: (stats) =>
      represent(file, 'identity', stats, {
        etag: options.etag !== false,
        lastModified: options.lastModified !== false,
      }),
    isLoaded: ({ stats }) => stats.size <= WHOLE_BYTES,
    load: readWhole,
    prepare: (headers, status) => {
      if (options.cacheControl !== undefined) headers.set('cache-control', options.cacheControl)
      if (status === 304) return
      if (options.contentType !== undefined) headers.set('content-type', options.contentType)
      const { download = false } = options
      if (download !== false) headers.set('content-disposition', attachment(download === true ? file : download))
    },
    onCut: () => warn(`${file} was changed while it was sent`),
  })
  if (failure === undefined) return
  // Looked at only now, as every request would pay for it.
  if (failure === 'missing' && base !== undefined) checkDirectory(base, await stat(base).catch(absent))
  await refuse(ctx, failure, file, warn)
}

/** Whatever keeps the directory from being looked at, it cannot be served. */
function absent(): undefined {}

/** The file, and the directory it must be in; `undefined` if the path would leave it, or can name no file. */
function placeOf(path: string | URL, root: string | URL | undefined): { file: string; base?: string } | undefined {
  if (root === undefined) {
    const file = absolutePath(path)
    // No file has such a name. A trusted path may still end in what a client sent.
    return file.includes('\0') ? undefined : { file }
  }
  if (typeof path !== 'string') throw new TypeError(`Cannot send ${inspect(path)} below a root: the path is a string`)
  const base = withSeparator(absolutePath(root))
  const location = locateName(base, path.startsWith('/') ? path : `/${path}`, GUARDS)
  return location.kind === 'path' && !location.isDirectory ? { file: location.file, base } : undefined
}
