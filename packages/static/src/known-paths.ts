import { stillAbsent } from './absence.ts'
import { isSameState } from './file-identity.ts'
import type { FileStat } from './file-stat.ts'
import type { Resolution } from './finder.ts'
import { Turn } from './turn.ts'

/** Paths kept; the oldest goes first. */
const MAX_PATHS = 4096
/** Longest path kept, so that the spellings of one file do not take more memory than files do. */
const MAX_PATH_LENGTH = 256
/** A turn of the event loop may be long; what was looked at so long ago is looked at again. */
const MAX_AGE_MS = 1

interface Entry {
  readonly resolution: Resolution
  /** Turn of the event loop in which it was last found true. */
  turn: number
  atMs: number
}

/**
 * What request paths led to. Nothing is taken for true because it was: everything that was looked at is looked at
 * again, once for all requests that arrived together in one turn of the event loop.
 */
export class KnownPaths {
  readonly #files: FileStat
  readonly #entries = new Map<string, Entry>()
  readonly #turn = new Turn()

  constructor(files: FileStat) {
    this.#files = files
  }

  /**
   * @param path Path of a request, as received
   * @param isShared Whether a look of this turn is recent enough
   * @returns `undefined` if nothing is known that still holds
   */
  get(path: string, isShared: boolean): Resolution | undefined {
    const entry = this.#entries.get(path)
    if (entry === undefined) return undefined
    const turn = this.#turn.number
    const nowMs = performance.now()
    if (isShared && entry.turn === turn && nowMs - entry.atMs < MAX_AGE_MS) return entry.resolution
    if (!this.#holds(entry.resolution, nowMs)) return undefined
    entry.turn = turn
    entry.atMs = nowMs
    return entry.resolution
  }

  /** Keeps what a path led to. */
  set(path: string, resolution: Resolution): void {
    if (path.length > MAX_PATH_LENGTH) return
    this.#entries.delete(path)
    if (this.#entries.size >= MAX_PATHS) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest)
        break
      }
    }
    this.#entries.set(path, { resolution, turn: -1, atMs: 0 })
  }

  /** Forgets what a path led to. */
  delete(path: string): void {
    this.#entries.delete(path)
  }

  #holds({ looks, absence }: Resolution, nowMs: number): boolean {
    for (const { path, stats } of looks) {
      const now = this.#files.lookNow(path)
      if (now === 'unknown') return false
      if (now === undefined || stats === undefined) {
        if (now !== stats) return false
      } else if (!isSameState(now, stats)) return false
    }
    return absence === undefined || stillAbsent(absence, this.#files, nowMs)
  }
}
