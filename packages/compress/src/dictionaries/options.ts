import {
  checkOptions,
  either,
  instanceOf,
  integer,
  listOf,
  oneOf,
  optionError,
  type OptionKinds,
  options as nested,
  text,
} from '@fw/options'
import type { DictionaryCoding } from './codecs.ts'
import { pathPattern } from './path-pattern.ts'
import { destinationList, dictionaryId, type RequestDestination } from './use-as-dictionary.ts'

/** Options of `dictionaries`. */
export interface DictionariesOptions {
  /**
   * Path of the files that are dictionaries for their later versions, such as `/app/*.js`. It begins with `/`, and `*` stands for any
   * characters. Each file is announced for its own name alone. Default: none, for dictionaries of routes alone.
   */
  readonly match?: string
  /** Destinations of the requests for which clients offer a file, such as `script`. Default: all. */
  readonly destinations?: readonly RequestDestination[]
  /** Identifier of the files' dictionaries, which clients repeat. Up to 1024 characters. Default: none. */
  readonly id?: string
  /** Folder with earlier versions of the files. It is read once, with its subfolders. Required with `match`. Default: none. */
  readonly source?: string | URL
  /** Codings in the order that decides between those that the client weighs equally. Default `['dcz', 'dcb']`. */
  readonly codings?: readonly DictionaryCoding[]
  /**
   * Compression levels: dcz 1 to 22, dcb 5 to 11. Without a level, dcb has 5. dcz has 3, 5 or 9, depending on the length of the body.
   * Default: none.
   */
  readonly levels?: Readonly<Partial<Record<DictionaryCoding, number>>>
  /** Minimum length of a body in bytes, if it is known. Compressing shorter ones saves too little. Default: 1024. */
  readonly thresholdBytes?: number
  /**
   * Largest body and dictionary in memory, in bytes together, that are compressed with dcz on the event loop. Larger ones, and dcb,
   * use the thread pool. Default: 131,072.
   */
  readonly maxSyncBytes?: number
  /** Maximum number of bodies in the thread pool at the same time. Others wait. Default: 3, which leaves one thread of four. */
  readonly maxPoolJobs?: number
  /** Maximum number of bodies that wait for the thread pool. Others are sent without a dictionary. Default: 16. */
  readonly maxWaitingJobs?: number
  /**
   * Maximum memory for the encoders of streams in bytes. One of unknown length takes about 11 MiB. Further streams are sent without
   * a dictionary. Default: 67,108,864.
   */
  readonly maxStreamBytes?: number
  /** Maximum memory for the files of `source` in bytes. The most recently modified ones are read first. Default: 33,554,432. */
  readonly maxSourceBytes?: number
  /** Maximum memory for earlier responses of routes in bytes. The least recently used ones are dropped. Default: 33,554,432. */
  readonly maxDictionaryBytes?: number
  /** Maximum memory for encoded files with a strong `ETag` in bytes. Default: 8,388,608. */
  readonly cacheBytes?: number
  /**
   * Largest dictionary for dcb in bytes. Node.js prepares it on the event loop, for every response: 262,144 bytes take 4 to 9 ms.
   * Default: 262,144.
   */
  readonly maxBrotliDictionaryBytes?: number
}

/** Options with every default filled in. */
export interface DictionarySettings {
  readonly codings: readonly DictionaryCoding[]
  readonly levels: Readonly<Partial<Record<DictionaryCoding, number>>>
  readonly thresholdBytes: number
  readonly maxSyncBytes: number
  readonly maxPoolJobs: number
  readonly maxWaitingJobs: number
  readonly maxStreamBytes: number
  readonly maxSourceBytes: number
  readonly maxDictionaryBytes: number
  readonly cacheBytes: number
  readonly maxBrotliDictionaryBytes: number
}

const CODINGS: readonly DictionaryCoding[] = ['dcz', 'dcb']

const MIB = 1024 * 1024

const KINDS: OptionKinds<DictionariesOptions> = {
  match: pathPattern,
  destinations: destinationList,
  id: dictionaryId,
  source: either(text, instanceOf('URL', URL)),
  codings: listOf('an array of "dcz" and "dcb"', oneOf(...CODINGS)),
  // Brotli ignores a dictionary below quality 5.
  levels: nested<Partial<Record<DictionaryCoding, number>>>({ dcb: integer(5, 11), dcz: integer(1, 22) }),
  thresholdBytes: integer(0),
  maxSyncBytes: integer(0),
  maxPoolJobs: integer(1),
  maxWaitingJobs: integer(0),
  maxStreamBytes: integer(0),
  maxSourceBytes: integer(0),
  maxDictionaryBytes: integer(0),
  cacheBytes: integer(0),
  maxBrotliDictionaryBytes: integer(0),
}

/**
 * Checks options and fills in the defaults.
 *
 * @throws {TypeError} if an option is unknown, has the wrong type, or is missing
 * @throws {RangeError} if a number is out of range
 */
export function readOptions(options: DictionariesOptions): DictionarySettings {
  checkOptions('dictionaries', options, KINDS)
  const { codings = CODINGS, match, source } = options
  if (codings.length === 0) throw invalid('codings', 'a non-empty array', '[]', 'Remove the middleware instead.')
  if (match !== undefined && source === undefined) {
    throw invalid('source', 'a folder if "match" is set', 'undefined', 'Name the folder that has earlier versions.')
  }
  for (const name of ['source', 'destinations', 'id'] as const) {
    if (match !== undefined || options[name] === undefined) continue
    throw invalid('match', `a path if "${name}" is set`, 'undefined', 'Write, for example, "/app/*.js".')
  }
  return {
    codings: [...new Set(codings)],
    levels: options.levels ?? {},
    thresholdBytes: options.thresholdBytes ?? 1024,
    maxSyncBytes: options.maxSyncBytes ?? 131_072,
    maxPoolJobs: options.maxPoolJobs ?? 3,
    maxWaitingJobs: options.maxWaitingJobs ?? 16,
    maxStreamBytes: options.maxStreamBytes ?? 64 * MIB,
    maxSourceBytes: options.maxSourceBytes ?? 32 * MIB,
    maxDictionaryBytes: options.maxDictionaryBytes ?? 32 * MIB,
    cacheBytes: options.cacheBytes ?? 8 * MIB,
    maxBrotliDictionaryBytes: options.maxBrotliDictionaryBytes ?? 262_144,
  }
}

function invalid(name: string, expected: string, got: string, fix: string): Error {
  return optionError({ api: 'dictionaries', name, expected, got, fix })
}
