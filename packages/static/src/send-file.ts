import { stat } from 'node:fs/promises'
import { checkOptions, either, flag, optionError, type OptionKinds, showValue, text, withCode } from '@fw/options'
import type { Context } from '@fw/types'
import { attachment } from './http/content-disposition.ts'
import { deliver } from './deliver.ts'
import { absolutePath, checkDirectory, fileLocation, withSeparator } from './paths/directory.ts'
import { locateName } from './paths/locate.ts'
import type { PathGuards } from './options.ts'
import { readWhole } from './files/read-whole.ts'
import { refuse } from './http/refuse.ts'
import { represent } from './http/representation.ts'
import { openSource, WHOLE_BYTES } from './files/source.ts'
import { limitedWarnings } from './warnings.ts'

/** Options of `sendFile`. All are optional. */
export interface SendFileOptions {
  /**
   * Confines the path to this directory: `..`, dot files and links cannot leave it. Set it for every path that comes from a
   * request. Without it, the path is trusted. Default none.
   */
  readonly root?: string | URL
  /** Makes browsers save the file under its own name (`true`) or the given one. Default false. */
  readonly download?: boolean | string
  /**
   * Sets `Content-Type`. By default, a field that is already set is kept; otherwise, the file extension determines the type.
   */
  readonly contentType?: string
  /** Sets `Cache-Control`. Default none. */
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
/** The beginning of error messages about the directory. */
const ROOT = 'sendFile: option "root"'
const warn = limitedWarnings()

/**
 * Sends one file, with 200 or, depending on the request, 206, 304, 412 or 416. Calls `ctx.notFound()` if the path is not a
 * regular file. Keeps header fields and an error status that are already set in the context.
 *
 * @param path An absolute path, a `file:` URL, or a path relative to `root` or the working directory
 * @throws {TypeError} if an option is unknown or invalid, `root` is empty or `undefined`, or a URL is not a `file:` URL
 * @throws {Error} if `root` is not a directory
 *
 * @example
 * router.get('/reports/:name', (ctx) => sendFile(ctx, ctx.params.name, { root: 'reports', download: true }))
 */
export async function sendFile(ctx: Context, path: string | URL, options: SendFileOptions = {}): Promise<void> {
  checkOptions('sendFile', options, KINDS)
  // An unset variable must not turn a path from a request into a trusted one.
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
    path: file,
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
    onCut: () => warn(`${file} changed while it was being sent`),
  })
  if (failure === undefined) return
  // Check the directory only after a failure, because a check per request would slow down every response.
  if (failure === 'missing' && base !== undefined) checkDirectory(ROOT, base, await stat(base).catch(absent))
  await refuse(ctx, failure, file, warn)
}

/** Treats a directory that cannot be checked as missing. */
function absent(): undefined {}

/** Returns the file and its directory, or `undefined` if the path leaves the directory or cannot name a file. */
function placeOf(path: string | URL, root: string | URL | undefined): { file: string; base?: string } | undefined {
  if (root === undefined) {
    const file = absolutePath('sendFile: path', path)
    // No file name contains NUL. Even a trusted path can end with client input.
    return file.includes('\0') ? undefined : { file }
  }
  if (typeof path !== 'string') {
    throw withCode(
      'FW_INVALID_ARGUMENT',
      new TypeError(`sendFile: path must be a string, got ${showValue(path)}. Option "root" requires a path below it.`),
    )
  }
  const base = withSeparator(absolutePath(ROOT, root))
  const location = locateName(base, path.startsWith('/') ? path : `/${path}`, GUARDS)
  return location.kind === 'path' && !location.isDirectory ? { file: location.file, base } : undefined
}
