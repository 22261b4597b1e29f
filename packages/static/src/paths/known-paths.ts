import { performance } from 'node:perf_hooks'
import { isAged, isSameDirectory, lookForNames } from './absence.ts'
import type { Absence } from './resolution.ts'
import { identityOf, isSameState, type FileIdentity } from '../files/file-identity.ts'
import type { FileStat } from './file-stat.ts'
import type { Resolution } from './resolution.ts'
import { NO_TURN, type Look, type LookTime, type Variant } from './resolution.ts'
import { currentTurn } from './turn.ts'

/** Paths kept; the oldest goes first. */
const MAX_PATHS = 4096
/** Longest path kept, so that the spellings of one file do not take more memory than files do. */
const MAX_PATH_LENGTH = 256
/** Directories whose last look is remembered, to be shared. */
const MAX_DIRECTORIES = 256
/** A turn of the event loop may be long; what was looked at so long ago is looked at again. */
const MAX_AGE_MS = 1
/**
 * For so long a look at a directory does, be it of an earlier turn: it tells about sidecars that have come, and no file
 * is less true without them. No client sees a response, writes a sidecar and asks again within that time.
 */
const MAX_DIRECTORY_AGE_MS = 0.1

interface SeenDirectory extends LookTime {
  readonly found: FileIdentity | undefined
}

/**
 * What request paths led to. Nothing is taken for true because it was: before each response everything is looked at again,
 * once for all requests that arrived together in one turn of the event loop.
 */
// docs/decisions/0050
export class KnownPaths {
  readonly #files: FileStat
  readonly #entries = new Map<string, Resolution>()
  readonly #directories = new Map<string, SeenDirectory>()

  constructor(files: FileStat) {
    this.#files = files
  }

  /**
   * What a path led to when it was last found out.
   *
   * @param path Path of a request, as received
   */
  get(path: string): Resolution | undefined {
    return this.#entries.get(path)
  }

  /** Keeps what a path led to. */
  set(path: string, resolution: Resolution): void {
    if (path.length > MAX_PATH_LENGTH) return
    this.#entries.delete(path)
    makeRoom(this.#entries, MAX_PATHS)
    this.#entries.set(path, resolution)
  }

  /**
   * Whether a path leads to the same now.
   *
   * @param variant The one of them that is to be sent
   * @param isShared Whether a look of this turn is recent enough
   * @returns `'unknown'` where it would take time to know
   */
  holds({ looks, absence }: Resolution, variant: Variant, isShared: boolean): boolean | 'unknown' {
    const now: LookTime = { turn: isShared ? currentTurn() : NO_TURN, atMs: performance.now() }
    for (const look of looks) {
      const isSame = this.#isAsBefore(look, now)
      if (isSame !== true) return isSame
    }
    if (absence === undefined) return true
    const isSame = looks.includes(variant) || this.#isAsBefore(variant, now)
    return isSame === true ? this.#isStillAbsent(absence, now) : isSame
  }

  /** As `holds`, where that takes time. False also if it cannot be known. */
  async holdsLater({ looks, absence }: Resolution, variant: Variant): Promise<boolean> {
    const isThere = async (path: string, stats: FileIdentity | undefined): Promise<boolean> =>
      isSameFound(await this.#files.look(path), stats)
    const parts = looks.map(({ path, stats }) => isThere(path, stats))
    if (absence !== undefined) {
      if (!looks.includes(variant)) parts.push(isThere(variant.path, variant.stats))
      parts.push(isThere(absence.directory, absence.stats))
      const nowMs = performance.now()
      if (isAged(absence, nowMs)) {
        absence.atMs = nowMs
        parts.push(...absence.paths.map((path) => isThere(path, undefined)))
      }
    }
    try {
      return !(await Promise.all(parts)).includes(false)
    } catch {
      // Whoever looks next is told why.
      return false
    }
  }

  #isAsBefore({ path, stats, seen }: Look, now: LookTime): boolean | 'unknown' {
    if (isRecent(seen, now)) return true
    const found = this.#files.lookNow(path, now.atMs)
    if (found === 'unknown') return 'unknown'
    if (!isSameFound(found, stats)) return false
    seen.turn = now.turn
    seen.atMs = now.atMs
    return true
  }

  #isStillAbsent(absence: Absence, now: LookTime): boolean | 'unknown' {
    if (isAged(absence, now.atMs)) return lookForNames(absence, this.#files, now.atMs)
    const { directory } = absence
    let last = this.#directories.get(directory)
    if (last === undefined || !(isRecent(last, now) || isBrief(last, now))) {
      const found = this.#files.lookNow(directory, now.atMs)
      if (found === 'unknown') return 'unknown'
      last = { ...now, found: found && identityOf(found) }
      this.#directories.delete(directory)
      makeRoom(this.#directories, MAX_DIRECTORIES)
      this.#directories.set(directory, last)
    }
    return isSameDirectory(absence, last.found)
  }
}

/** Whether it was looked at in the same turn, and that is not long ago. */
function isRecent({ turn, atMs }: LookTime, now: LookTime): boolean {
  return turn === now.turn && turn !== NO_TURN && now.atMs - atMs < MAX_AGE_MS
}

/** Whether it was looked at so shortly before that nobody can have seen the response and done something else since. */
function isBrief({ atMs }: LookTime, now: LookTime): boolean {
  return now.turn !== NO_TURN && now.atMs - atMs < MAX_DIRECTORY_AGE_MS
}

function isSameFound(found: FileIdentity | undefined, stats: FileIdentity | undefined): boolean {
  return found === undefined || stats === undefined ? found === stats : isSameState(found, stats)
}

function makeRoom(map: Map<string, unknown>, limit: number): void {
  if (map.size < limit) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
