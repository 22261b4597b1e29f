import { checkOptions, integer, listOf, oneOf, optionError, type OptionKinds } from '@fw/options'

/** A content coding that `decompress` decodes. `deflate` is the zlib format (RFC 9110 §8.4.1.2). */
export type RequestCoding = 'gzip' | 'br' | 'zstd' | 'deflate'

/** Options of `decompress`. */
export interface DecompressOptions {
  /** Codings that clients can use. The 415 for any other lists them. Default: `['gzip', 'br', 'zstd', 'deflate']`. */
  readonly codings?: readonly RequestCoding[]
  /**
   * Maximum number of decoded bytes for each encoded byte, once a body has more than 1 MiB. JSON rarely exceeds 30; a
   * decompression bomb has more than 1000. Default: 100.
   */
  readonly maxRatio?: number
}

/** Options with every default filled in. */
export interface DecompressSettings {
  readonly codings: readonly RequestCoding[]
  readonly maxRatio: number
}

const CODINGS: readonly RequestCoding[] = ['gzip', 'br', 'zstd', 'deflate']

const KINDS: OptionKinds<DecompressOptions> = {
  codings: listOf('an array of "gzip", "br", "zstd" and "deflate"', oneOf(...CODINGS)),
  maxRatio: integer(1),
}

/**
 * Checks options and fills in the defaults.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type
 * @throws {RangeError} if the ratio is below 1
 */
export function readDecompressOptions(options: DecompressOptions): DecompressSettings {
  checkOptions('decompress', options, KINDS)
  const { codings = CODINGS, maxRatio = 100 } = options
  if (codings.length === 0) {
    const fix = 'Remove the middleware to accept only bodies without a content coding.'
    throw optionError({ api: 'decompress', name: 'codings', expected: 'a non-empty array', got: '[]', fix })
  }
  return { codings: [...new Set(codings)], maxRatio }
}
