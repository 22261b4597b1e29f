import { stat } from 'node:fs/promises'
import { checkOptions, either, flag, optionError, type OptionKinds, showValue, text } from '@fw/options'
import type { Context } from '@fw/types'
import { attachment } from './http/content-disposition.ts'
import { deliver } from './deliver.ts'
import { absolutePath, checkDirectory, fileLocation, withSeparator } from './paths/directory.ts'
import { locateName } from './paths/locate.ts'
import type { PathGuards } from './options.ts'
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
const KINDS: OptionKinds<SendFileOptions> = {
  root: fileLocation,
  download: { ...either(flag, text), expected: 'true, false or a file name' },
  contentType: text,
  cacheControl: text,
  etag: flag,
  lastModified: flag,
}
/** Begins errors about the directory. */
const ROOT = 'sendFile: option "root"'
const warn = limitedWarnings()

/**
 * Responses with a file: 200, or 206, 304, 412 and 416 as the request asks; 404 as `ctx.notFound()` does if there is no
 * such regular file. Fields already prepared in the context are sent along.
 *
 * @param path Absolute, or relative to `root` or else to the working directory; or a `file:` URL
 * @throws {TypeError} if an option is unknown or has a wrong value, `root` is empty or `undefined`, or the protocol of a
 *   URL is not `file:`
 * @throws {Error} if `root` is not a directory
 *
 * @example
 * router.get('/reports/:name', (ctx) => sendFile(ctx, ctx.params.name, { root: 'reports', download: true }))
 */
export async function sendFile(ctx: Context, path: string | URL, options: SendFileOptions = {}): Promise<void> {
  checkOptions('sendFile', options, KINDS)
  // A variable that is not set must not make a path of a request a trusted one.
  if ('root' in options && options.root === undefined) {
    const fix = 'Omit it if the path is trusted.'
    throw optionError({ api: 'sendFile', name: 'root', expected: fileLocation.expected, got: 'undefined', fix })
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
  if (failure === 'missing' && base !== undefined) checkDirectory(ROOT, base, await stat(base).catch(absent))
  await refuse(ctx, failure, file, warn)
}

/** Whatever keeps the directory from being looked at, it cannot be served. */
function absent(): undefined {}

/** The file, and the directory it must be in; `undefined` if the path would leave it, or can name no file. */
function placeOf(path: string | URL, root: string | URL | undefined): { file: string; base?: string } | undefined {
  if (root === undefined) {
    const file = absolutePath('sendFile: path', path)
    // No file has such a name. A trusted path may still end in what a client sent.
    return file.includes('\0') ? undefined : { file }
  }
  if (typeof path !== 'string') {
    throw new TypeError(
      `sendFile: path must be a string, got ${showValue(path)}. Option "root" requires a path below it.`,
    )
  }
  const base = withSeparator(absolutePath(ROOT, root))
  const location = locateName(base, path.startsWith('/') ? path : `/${path}`, GUARDS)
  return location.kind === 'path' && !location.isDirectory ? { file: location.file, base } : undefined
}
