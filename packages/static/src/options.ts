import { checkOptions, flag, func, integer, oneOf, type OptionKind, type OptionKinds, withFix } from '@fw/options'

/** Which symbolic links may lead to a file. */
export type Confinement = 'inside' | 'follow' | 'deny'

/** Which paths are refused although a file of that name may exist. */
export interface PathGuards {
  readonly dotfiles: 'deny' | 'allow'
  readonly dotdot: 'anywhere' | 'segment'
}

/** How files are served. Every option has a default. */
export interface StaticFilesOptions {
  /** Offers `.br`, `.zst` and `.gz` files beside a file to clients that take them. Default true. */
  readonly precompressed?: boolean
  /** Keeps files in memory, as long as they are unchanged. Default true. */
  readonly cacheInMemory?: boolean
  /** File that answers for a directory. Default `index.html`. */
  readonly indexFile?: string
  /** Answers paths that name no file with `fallbackFile`, for applications that route in the browser. Default false. */
  readonly spa?: boolean
  /** File that answers for such paths, relative to the directory. Default `index.html`. */
  readonly fallbackFile?: string
  /** Sends a strong `ETag`. Default true. */
  readonly etag?: boolean
  /** Sends `Last-Modified`. Default true. */
  readonly lastModified?: boolean
  /**
   * Value of `Cache-Control`; none is sent when it returns `undefined` or ''.
   *
   * @param path Path of the file that is sent, below the directory, with a leading slash: `/index.html` for `/`
   * @param isFallback Whether the file responses for a path that names no file
   */
  readonly cacheControl?: (path: string, isFallback: boolean) => string | undefined
  /** Whether names that begin with a dot are served; `/.well-known/` always is. Default `deny`. */
  readonly dotfiles?: 'deny' | 'allow'
  /** Where `..` is refused: anywhere in the decoded path, or only as a whole segment. Default `anywhere`. */
  readonly dotdot?: 'anywhere' | 'segment'
  /** Which symbolic links are followed: those that stay inside the directory, all, or none. Default `inside`. */
  readonly symlinks?: 'inside' | 'follow' | 'deny'
  /** Sends `/dir` to `/dir/` with 308 instead of answering with the index, so that relative links work. Default false. */
  readonly redirect?: boolean
  /** Largest file kept in memory, in bytes. Default 1 MiB. */
  readonly maxCachedFileBytes?: number
  /** Bytes kept in memory by this mount; least recently used files go first. Default 64 MiB. */
  readonly maxCacheBytes?: number
  /**
   * Told about files that exist but cannot be sent. Default: a Warn record of `@fw/log`, or a process warning where that
   * is not installed, at most one a second.
   */
  readonly onWarning?: (message: string) => void
}

/** Every option with its value. */
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
 * Checks the options and fills in the defaults. An option that is `undefined` counts as absent.
 *
 * @throws {TypeError} if an option is unknown or has a wrong value
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
