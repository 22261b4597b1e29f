import { constants as C } from 'node:zlib'

const KIB = 1024
const MIB = 1024 * KIB

/** Below this length, full-size tables take longer to clear than the body takes to encode. */
const SMALL_BYTES = 32 * KIB
const SMALL_TABLES = { [C.ZSTD_c_hashLog]: 14, [C.ZSTD_c_chainLog]: 14 }

/**
 * Longest bodies for levels 3 and 5. In longer ones, these levels miss most matches in the dictionary. A body of 1.7 MB became
 * 132 KB at level 3 and 4 KB at level 5.
 */
const LEVEL_3_BYTES = 64 * KIB
const LEVEL_5_BYTES = 8 * MIB

/** Every client decodes this window, and none is required to decode more than the second one (RFC 9842 §5). */
const MIN_LIMIT_BYTES = 8 * MIB
const MAX_LIMIT_BYTES = 128 * MIB

/** A client must decode a window of this many times the length of the dictionary. */
const DICTIONARY_FACTOR = 1.25

/** Smallest window to use: 32 KiB. Below it, a shorter window saves nothing. */
const MIN_LOG = 15
/** Smallest window for a body of unknown length: 2 MiB, as without a dictionary. */
const MIN_STREAM_LOG = 21

/**
 * Returns the base-2 logarithm of the window for a body: the smallest one in which the whole dictionary stays available, up to
 * what every client decodes.
 *
 * A body of known length that fits into its window makes a frame with a single segment, whose window is as long as the body.
 * Therefore the logarithm can round up beyond the limit if the body itself does not exceed it.
 *
 * @param bodyBytes The length of the body; `undefined` if it is unknown
 * @see RFC 9842 §5, RFC 8878 §3.1.1.1
 */
export function zstdWindowLog(dictionaryBytes: number, bodyBytes: number | undefined): number {
  const needed = dictionaryBytes * DICTIONARY_FACTOR
  const limit = Math.min(MAX_LIMIT_BYTES, Math.max(MIN_LIMIT_BYTES, needed))
  if (bodyBytes !== undefined && bodyBytes <= limit) return Math.max(MIN_LOG, Math.ceil(Math.log2(bodyBytes)))
  const largest = Math.floor(Math.log2(limit))
  if (bodyBytes !== undefined) return largest
  return Math.min(largest, Math.max(MIN_STREAM_LOG, Math.ceil(Math.log2(needed))))
}

/**
 * Returns the parameters of zstd for a body.
 *
 * @param bodyBytes The length of the body; `undefined` if it is unknown
 * @param level Default: the lowest level that finds the matches in the dictionary
 */
export function zstdParameters(
  dictionaryBytes: number,
  bodyBytes: number | undefined,
  level: number | undefined,
): Record<number, number> {
  const windowLog = zstdWindowLog(dictionaryBytes, bodyBytes)
  const chosen = level ?? levelFor(bodyBytes)
  return {
    [C.ZSTD_c_compressionLevel]: chosen,
    [C.ZSTD_c_windowLog]: windowLog,
    ...(bodyBytes !== undefined && bodyBytes < SMALL_BYTES ? SMALL_TABLES : {}),
    // The default table of level 5 forgets the beginning of a dictionary above 1 MB. This one takes up to 16 MiB.
    ...(level === undefined && chosen === 5 ? { [C.ZSTD_c_hashLog]: Math.min(22, windowLog - 1) } : {}),
  }
}

function levelFor(bodyBytes: number | undefined): number {
  if (bodyBytes === undefined) return 5
  return bodyBytes <= LEVEL_3_BYTES ? 3 : bodyBytes <= LEVEL_5_BYTES ? 5 : 9
}
