import { isSameState, isSettled, type FileIdentity } from './file-identity.ts'
import type { FileFailure } from './file-failure.ts'
import { BorrowedBytes, type Holding } from './borrowed-bytes.ts'
import { readWhole } from './read-whole.ts'
import type { Changed, Sample } from './sample.ts'
import type { Confinement } from '../options.ts'
import { openSource, WHOLE_BYTES, type FileSource, type MemorySource, type Source } from './source.ts'

/** About what an entry takes beside its content, so that a million empty files are not free. */
const ENTRY_BYTES = 512

interface Entry extends MemorySource {
  readonly holding: Holding
}

/** Where the files of one directory are opened, and what the cache may hold of them. */
export interface CacheOptions {
  /** Directory with a trailing separator. */
  readonly base: string
  readonly symlinks: Confinement
  readonly cacheInMemory: boolean
  /** In bytes. */
  readonly maxCachedFileBytes: number
  /** In bytes. */
  readonly maxCacheBytes: number
}

/**
 * Files of one directory, in memory as long as they are unchanged. Only what exists is kept, under its path, so that
 * neither misses nor spellings make the cache grow.
 */
export class FileCache {
  readonly #options: CacheOptions
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  /** The last of them. */
  #newest: Entry | undefined = undefined
  /** The first of several requests for a file that is not in memory: the others wait until it is done. */
  readonly #first = new Map<string, Promise<void>>()
  #bytes = 0
  readonly #loans = new BorrowedBytes()
  /** Bytes that are being read. */
  #loading = 0

  constructor(options: CacheOptions) {
    this.#options = options
  }

  /** Bytes held, as counted against `maxCacheBytes`. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * @param stats What the file was when this request looked at it: an entry of any other state is dropped
   * @returns A source in memory or an open file, which the caller closes, or why there is none
   */
  open(path: string, stats: FileIdentity): Source | Promise<Source | FileFailure> {
    return this.hit(path, stats) ?? this.#open(path, stats)
  }

  /** The entry of a file that is in this state; one of any other state is dropped. */
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

  /** Whether a file of this size may be in memory. */
  isCacheable({ size }: FileIdentity): boolean {
    const { cacheInMemory, maxCachedFileBytes, maxCacheBytes } = this.#options
    return cacheInMemory && size <= maxCachedFileBytes && size <= maxCacheBytes
  }

  /**
   * Whether an open file is to be read by `load`. Not so if clients that do not read hold as much already as the cache
   * may, beside what is in it: then it is to be streamed, and takes no more than a buffer.
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
   * Reads an open file into memory and keeps it if that is safe.
   *
   * @param before What was read of the file before it was opened: then it may have grown since
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
    // What a stream would take as well is not counted.
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
