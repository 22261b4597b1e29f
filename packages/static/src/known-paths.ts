import { isAged, isSameDirectory, lookForNames, type Absence } from './absence.ts'
import { isSameState } from './file-identity.ts'
import type { FileStat, LookNow } from './file-stat.ts'
import type { Look, Resolution } from './finder.ts'
import { Turn } from './turn.ts'

/** Paths kept; the oldest goes first. */
const MAX_PATHS = 4096
/** Longest path kept, so that the spellings of one file do not take more memory than files do. */
const MAX_PATH_LENGTH = 256
/** A turn of the event loop may be long; what was looked at so long ago is looked at again. */
const MAX_AGE_MS = 1
/** Of what is shared with no other request. */
const NO_TURN = -1

/** When something was looked at last. */
interface Seen {
  /** Turn of the event loop. */
  turn: number
  atMs: number
}

interface Entry extends Seen {
  readonly resolution: Resolution
}

interface SeenDirectory extends Seen {
  readonly path: string
  readonly found: LookNow
}

/**
 * What request paths led to. Nothing is taken for true because it was: everything that was looked at is looked at
 * again, once for all requests that arrived together in one turn of the event loop.
 */
export class KnownPaths {
  readonly #files: FileStat
  readonly #entries = new Map<string, Entry>()
  readonly #turn = new Turn()
  /** Files that are asked for together are mostly of one directory. */
  #lastDirectory: SeenDirectory | undefined = undefined

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
    const { resolution } = entry
    const now: Seen = { turn: isShared ? this.#turn.number : NO_TURN, atMs: performance.now() }
    if (isRecent(entry, now)) return resolution
    for (const look of resolution.looks) if (!this.#isAsBefore(look)) return undefined
    if (resolution.absence !== undefined && !this.#isStillAbsent(resolution.absence, now)) return undefined
    entry.turn = now.turn
    entry.atMs = now.atMs
    return resolution
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
    this.#entries.set(path, { resolution, turn: NO_TURN, atMs: 0 })
  }

  #isAsBefore({ path, stats }: Look): boolean {
    const found = this.#files.lookNow(path)
    if (found === undefined || stats === undefined) return found === stats
    return found !== 'unknown' && isSameState(found, stats)
  }

  #isStillAbsent(absence: Absence, now: Seen): boolean {
    if (isAged(absence, now.atMs)) return lookForNames(absence, this.#files, now.atMs)
    let last = this.#lastDirectory
    if (last === undefined || last.path !== absence.directory || !isRecent(last, now)) {
      last = { ...now, path: absence.directory, found: this.#files.lookNow(absence.directory) }
      this.#lastDirectory = last
    }
    return isSameDirectory(absence, last.found)
  }
}

/** Whether it was looked at in the same turn, and that is not long ago. */
function isRecent({ turn, atMs }: Seen, now: Seen): boolean {
  return turn === now.turn && turn !== NO_TURN && now.atMs - atMs < MAX_AGE_MS
}
