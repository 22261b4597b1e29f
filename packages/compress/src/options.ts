import {
  checkOptions,
  flag,
  integer,
  listOf,
  oneOf,
  optionError,
  type OptionKinds,
  options as nested,
} from '@fw/options'

/** A content coding that `compress` applies. */
export type Coding = 'zstd' | 'br' | 'gzip'

/** Options of `compress`. */
export interface CompressOptions {
  /** Codings in order of preference, which decides between codings of equal weight. Default: `['zstd', 'br', 'gzip']`. */
  readonly codings?: readonly Coding[]
  /** Compression level of each coding: gzip 0 to 9, br 0 to 11, zstd 1 to 22. Default: `{ zstd: 3, br: 4, gzip: 4 }`. */
  readonly levels?: Readonly<Partial<Record<Coding, number>>>
  /** Minimum length of a body in bytes, if it is known. Compressing shorter bodies saves too little. Default: 1024. */
  readonly thresholdBytes?: number
  /**
   * Largest body in memory, in bytes, that is compressed on the event loop. Larger bodies use the thread pool. Default: 65,536.
   */
  readonly maxSyncBytes?: number
  /**
   * Maximum number of bodies in the thread pool at the same time; other bodies wait. Default: 3, which leaves one thread of
   * four.
   */
  readonly maxPoolJobs?: number
  /** Compresses server-sent events. An open stream then uses 43 KiB (br) to 138 KiB (gzip) of memory. Default: `false`. */
  readonly eventStreams?: boolean
  /**
   * Memory for encoded copies of responses with a strong entity tag, in bytes for each process. Copies that are
   * found twice are encoded again at a slower level. Default: 0, which keeps none.
   */
  readonly cacheBytes?: number
  /**
   * `'identity'` does not compress responses to cross-site requests with cookies or credentials, whose length could reveal a
   * secret (BREACH). Default: `'compress'`.
   */
  readonly crossSite?: 'compress' | 'identity'
}

/** The options with their defaults. */
export interface Settings {
  readonly codings: readonly Coding[]
  readonly levels: Readonly<Record<Coding, number>>
  readonly thresholdBytes: number
  readonly maxSyncBytes: number
  readonly maxPoolJobs: number
  readonly eventStreams: boolean
  readonly cacheBytes: number
  readonly skipsCrossSite: boolean
}

const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip']

const KINDS: OptionKinds<CompressOptions> = {
  codings: listOf('an array of "zstd", "br" and "gzip"', oneOf(...CODINGS)),
  levels: nested<Partial<Record<Coding, number>>>({ gzip: integer(0, 9), br: integer(0, 11), zstd: integer(1, 22) }),
  thresholdBytes: integer(0),
  maxSyncBytes: integer(0),
  maxPoolJobs: integer(1),
  eventStreams: flag,
  cacheBytes: integer(0),
  crossSite: oneOf('compress', 'identity'),
}

/**
 * Checks options and fills in the defaults.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type
 * @throws {RangeError} if a number is out of range
 */
export function readOptions(options: CompressOptions): Settings {
  checkOptions('compress', options, KINDS)
  const { codings = CODINGS, levels = {} } = options
  if (codings.length === 0) {
    const fix = 'Remove the middleware to send every response without a content coding.'
    throw optionError({ api: 'compress', name: 'codings', expected: 'a non-empty array', got: '[]', fix })
  }
  return {
    codings: [...new Set(codings)],
    // Levels above these cost several times the CPU time for a few percent of the bytes.
    levels: { zstd: levels.zstd ?? 3, br: levels.br ?? 4, gzip: levels.gzip ?? 4 },
    thresholdBytes: options.thresholdBytes ?? 1024,
    maxSyncBytes: options.maxSyncBytes ?? 65_536,
    maxPoolJobs: options.maxPoolJobs ?? 3,
    eventStreams: options.eventStreams ?? false,
    cacheBytes: options.cacheBytes ?? 0,
    skipsCrossSite: options.crossSite === 'identity',
  }
}
