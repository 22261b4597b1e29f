import { isSameState, isSettled, type FileIdentity } from './file-identity.ts'
import type { FileFailure } from './file-failure.ts'
import { BorrowedBytes, type Holding } from './borrowed-bytes.ts'
import { readWhole } from './read-whole.ts'
import type { Changed, Sample } from './sample.ts'
import type { Confinement } from '../options.ts'
import { openSource, WHOLE_BYTES, type FileSource, type MemorySource, type Source } from './source.ts'

/** Approximate bytes of an entry without its content, so that even empty files count. */
const ENTRY_BYTES = 512

interface Entry extends MemorySource {
  readonly holding: Holding
}

/** The directory of the cached files, and the limits of the cache. */
export interface CacheOptions {
  /** Directory with a trailing separator. */
  readonly base: string
  readonly symlinks: Confinement
  readonly cacheInMemory: boolean
  readonly maxCachedFileBytes: number
  readonly maxCacheBytes: number
}

/**
 * Keeps the unchanged files of one directory in memory. The key is the path of an existing file, so misses and different
 * spellings of a request path do not make the cache grow.
 */
export class FileCache {
  readonly #options: CacheOptions
  /** Entries, ordered by their last use. */
  readonly #entries = new Map<string, Entry>()
  /** The last of `#entries`. */
  #newest: Entry | undefined = undefined
  /** The first request for each file that is being loaded. Other requests for that file wait for it. */
  readonly #first = new Map<string, Promise<void>>()
  #bytes = 0
  readonly #loans = new BorrowedBytes()
  /** Bytes of files that are being read. */
  #loading = 0

  constructor(options: CacheOptions) {
    this.#options = options
  }

  /** Bytes that count towards `maxCacheBytes`. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Returns the file from memory, or opens it. The caller closes an open file.
   *
   * @param stats State of the file in this request's stat call. An entry for any other state is dropped
   */
  open(path: string, stats: FileIdentity): Source | Promise<Source | FileFailure> {
    return this.hit(path, stats) ?? this.#open(path, stats)
  }

  /** Returns the entry of a file if its state is `stats`. Drops an entry for any other state. */
  hit(path: string, stats: FileIdentity): MemorySource | undefined {
    const entry = this.#entries.get(path)
    if (entry === undefined) return undefined
    if (!isSameState(entry.stats, stats)) {
      this.#drop(path)
      return undefined
    }
    if (entry !== this.#newest) {
      this.#entries.delete(path)
      this.#entries.set(path, entry)
      this.#newest = entry
    }
    return entry
  }

  /** Reports whether a file of this size fits into the cache. */
  isCacheable({ size }: FileIdentity): boolean {
    const { cacheInMemory, maxCachedFileBytes, maxCacheBytes } = this.#options
    return cacheInMemory && size <= maxCachedFileBytes && size <= maxCacheBytes
  }

  /**
   * Reports whether to read an open file with `load`. Once responses in progress keep `maxCacheBytes` outside the cache in
   * memory, the server streams further files, with one buffer each.
   */
  admits(file: FileSource): boolean {
    const size = Number(file.stats.size)
    if (size <= WHOLE_BYTES) return true
    const held = this.#loans.bytes + this.#loading
    const isAdmitted = this.isCacheable(file.stats) && held + size <= this.#options.maxCacheBytes
    if (!isAdmitted) file.release?.()
    return isAdmitted
  }

  /**
   * Reads an open file into memory. Caches it if its timestamps would reveal the next change.
   *
   * @param before Sample from an earlier attempt. With it, accepts a file that has only grown
   */
  async load(path: string, file: FileSource, before?: Sample): Promise<MemorySource | Changed> {
    const isSafe = this.isCacheable(file.stats) && isSettled(file.stats)
    const size = Number(file.stats.size)
    this.#loading += size
    try {
      const source = await readWhole(file, before)
      if (!('bytes' in source)) return source
      const entry = this.#entryOf(source)
      if (isSafe) this.#keep(path, entry)
      return entry
    } finally {
      this.#loading -= size
    }
  }

  async #open(path: string, stats: FileIdentity): Promise<Source | FileFailure> {
    const { base, symlinks } = this.#options
    if (!this.isCacheable(stats)) return openSource(path, base, symlinks)
    const first = this.#first.get(path)
    if (first !== undefined) {
      await first
      return this.hit(path, stats) ?? openSource(path, base, symlinks)
    }

    const { promise, resolve } = Promise.withResolvers<void>()
    this.#first.set(path, promise)
    const release = (): void => {
      this.#first.delete(path)
      resolve()
    }
    let opened: FileSource | FileFailure = 'missing'
    try {
      opened = await openSource(path, base, symlinks)
    } finally {
      if (typeof opened === 'string') release()
    }
    if (typeof opened === 'string') return opened
    const file = opened
    return { ...file, release, close: () => file.close().finally(release) }
  }

  #entryOf(source: MemorySource): Entry {
    const size = source.bytes.byteLength
    const holding: Holding = { size, borrowers: 0, isKept: false }
    // Do not count a file that would fit into a stream buffer anyway.
    return size <= WHOLE_BYTES
      ? { ...source, holding }
      : { ...source, holding, borrow: () => this.#loans.lend(holding) }
  }

  #keep(path: string, entry: Entry): void {
    this.#drop(path)
    entry.holding.isKept = true
    this.#entries.set(path, entry)
    this.#newest = entry
    this.#bytes += costOf(path, entry)
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#options.maxCacheBytes) break
      this.#drop(oldest)
    }
  }

  #drop(path: string): void {
    const entry = this.#entries.get(path)
    if (entry === undefined) return
    this.#entries.delete(path)
    this.#bytes -= costOf(path, entry)
    this.#loans.drop(entry.holding)
  }
}

function costOf(path: string, { bytes }: MemorySource): number {
  return bytes.byteLength + path.length + ENTRY_BYTES
}
