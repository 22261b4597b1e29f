import { checkOptions, flag, func, integer, oneOf, type OptionKind, type OptionKinds, withFix } from '@fw/options'

/** The symbolic links to follow: those that remain in the directory, all, or none. */
export type Confinement = 'inside' | 'follow' | 'deny'

/** The paths to refuse even if a file exists. */
export interface PathGuards {
  readonly dotfiles: 'deny' | 'allow'
  readonly dotdot: 'anywhere' | 'segment'
}

/** Options of `staticFiles`. All are optional. */
export interface StaticFilesOptions {
  /** Sends `app.js.br`, `.zst` or `.gz` instead of `app.js` to clients that accept the coding. Default true. */
  readonly precompressed?: boolean
  /** Keeps unchanged files in memory. Default true. */
  readonly cacheInMemory?: boolean
  /** Name of the file that is sent for a directory. Default `'index.html'`. */
  readonly indexFile?: string
  /** Sends `fallbackFile` for paths that name no file, for single-page applications. Default false. */
  readonly spa?: boolean
  /** File that `spa` sends, relative to the directory. Default `'index.html'`. */
  readonly fallbackFile?: string
  /** Sends a strong `ETag`. Default true. */
  readonly etag?: boolean
  /** Sends `Last-Modified`. Default true. */
  readonly lastModified?: boolean
  /**
   * Returns the `Cache-Control` value. The field is omitted if the result is `undefined` or empty. Default
   * none.
   *
   * @param path Path of the sent file below the directory, with a leading slash: `/index.html` for `/`
   * @param isFallback Whether `spa` sends the file for a path that names no file
   */
  readonly cacheControl?: (path: string, isFallback: boolean) => string | undefined
  /** Whether to serve names that begin with a dot. `/.well-known/` is always served. Default `'deny'`. */
  readonly dotfiles?: 'deny' | 'allow'
  /** Where to refuse `..`: anywhere in the decoded path, or only as a whole segment. Default `'anywhere'`. */
  readonly dotdot?: 'anywhere' | 'segment'
  /** Which symbolic links to follow: those that stay inside the directory, all, or none. Default `'inside'`. */
  readonly symlinks?: 'inside' | 'follow' | 'deny'
  /** Redirects `/dir` to `/dir/` with 308 instead of sending the index file, so that relative links work. Default false. */
  readonly redirect?: boolean
  /** Limits the size of a file kept in memory, in bytes. Larger files are streamed. Default 1 MiB. */
  readonly maxCachedFileBytes?: number
  /** Limits the memory of the cache, in bytes. Removes the least recently used files first. Default 64 MiB. */
  readonly maxCacheBytes?: number
  /**
   * Receives a message for each file that exists but cannot be sent. Default: a Warn record in `@fw/log`, or a process
   * warning if that package is not installed, at most one per second.
   */
  readonly onWarning?: (message: string) => void
}

/** The options with their defaults filled in. */
export interface ResolvedOptions extends Required<Omit<StaticFilesOptions, 'cacheControl' | 'onWarning'>>, PathGuards {
  readonly symlinks: Confinement
  readonly cacheControl: StaticFilesOptions['cacheControl']
  readonly onWarning: StaticFilesOptions['onWarning']
}

const DEFAULTS: ResolvedOptions = {
  precompressed: true,
  cacheInMemory: true,
  indexFile: 'index.html',
  spa: false,
  fallbackFile: 'index.html',
  etag: true,
  lastModified: true,
  cacheControl: undefined,
  dotfiles: 'deny',
  dotdot: 'anywhere',
  symlinks: 'inside',
  redirect: false,
  maxCachedFileBytes: 1024 * 1024,
  maxCacheBytes: 64 * 1024 * 1024,
  onWarning: undefined,
}

/** Accepts relative paths that cannot leave the directory. */
const fileBelow: OptionKind = {
  expected: 'a relative path without "." or ".." segments',
  accepts: (value) => typeof value === 'string' && isRelative(value),
  fix: 'Name a file below the directory, for example "app/index.html".',
}

const KINDS: OptionKinds<StaticFilesOptions> = {
  precompressed: flag,
  cacheInMemory: flag,
  indexFile: fileBelow,
  spa: flag,
  fallbackFile: fileBelow,
  etag: flag,
  lastModified: flag,
  cacheControl: withFix(func, 'Use () => "no-cache" for one value.'),
  dotfiles: oneOf('deny', 'allow'),
  dotdot: oneOf('anywhere', 'segment'),
  symlinks: oneOf('inside', 'follow', 'deny'),
  redirect: flag,
  maxCachedFileBytes: integer(0),
  maxCacheBytes: integer(0),
  onWarning: func,
}

/**
 * Checks the options and fills in the defaults. An `undefined` option counts as absent.
 *
 * @throws {TypeError} if an option is unknown or has an invalid value
 * @throws {RangeError} if a number is out of range
 */
export function resolveOptions(given: StaticFilesOptions = {}): ResolvedOptions {
  checkOptions('staticFiles', given, KINDS)
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...DEFAULTS, ...stated }
}

function isRelative(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && !/^\.{1,2}$|[\0\\]/.test(segment))
}
