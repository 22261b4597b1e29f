import { performance } from 'node:perf_hooks'
import { isAged, isSameDirectory, areNamesAbsent } from './absence.ts'
import type { Absence } from './resolution.ts'
import { identityOf, isSameState, type FileIdentity } from '../files/file-identity.ts'
import type { FileStat } from './file-stat.ts'
import type { Resolution } from './resolution.ts'
import { NO_TURN, type Check, type CheckTime, type Variant } from './resolution.ts'
import { currentTurn } from './turn.ts'

/** Maximum number of stored paths. The oldest is removed first. */
const MAX_PATHS = 4096
/** Maximum length of a stored path. Different spellings of one path then use less memory than files do. */
const MAX_PATH_LENGTH = 256
/** Maximum number of directories whose last check requests can share. */
const MAX_DIRECTORIES = 256
/** Maximum age of a shared check. An event-loop turn can take longer. */
const MAX_AGE_MS = 1
/**
 * Maximum age of a directory check from an earlier turn. Such a check only detects new sidecars, and a response without a new
 * sidecar is still correct. A client cannot read a response, write a sidecar and send the next request within this time.
 */
const MAX_DIRECTORY_AGE_MS = 0.1

interface CheckedDirectory extends CheckTime {
  readonly found: FileIdentity | undefined
}

/**
 * Stores the files that request paths name. Before each response, it checks the files again with stat calls. Requests in the
 * same event-loop turn share these calls.
 */
// docs/decisions/0050
export class KnownPaths {
  readonly #files: FileStat
  readonly #entries = new Map<string, Resolution>()
  readonly #directories = new Map<string, CheckedDirectory>()

  constructor(files: FileStat) {
    this.#files = files
  }

  /**
   * Returns the last known file for a path.
   *
   * @param path Request path as received
   */
  get(path: string): Resolution | undefined {
    return this.#entries.get(path)
  }

  /** Stores the file for a path. */
  set(path: string, resolution: Resolution): void {
    if (path.length > MAX_PATH_LENGTH) return
    this.#entries.delete(path)
    makeRoom(this.#entries, MAX_PATHS)
    this.#entries.set(path, resolution)
  }

  /**
   * Reports whether a path still names the same file.
   *
   * @param variant The variant to send
   * @param isShared Whether a check of this event-loop turn is recent enough
   * @returns 'unknown' if the check would block
   */
  isUnchanged({ checks, absence }: Resolution, variant: Variant, isShared: boolean): boolean | 'unknown' {
    const now: CheckTime = { turn: isShared ? currentTurn() : NO_TURN, atMs: performance.now() }
    for (const check of checks) {
      const isSame = this.#isAsBefore(check, now)
      if (isSame !== true) return isSame
    }
    if (absence === undefined) return true
    const isSame = checks.includes(variant) || this.#isAsBefore(variant, now)
    return isSame === true ? this.#isStillAbsent(absence, now) : isSame
  }

  /** Reports whether a path still names the same file, after stat calls in the thread pool. Returns false on an error. */
  async isUnchangedLater({ checks, absence }: Resolution, variant: Variant): Promise<boolean> {
    const isSameAt = async (path: string, stats: FileIdentity | undefined): Promise<boolean> =>
      isSameFound(await this.#files.stat(path), stats)
    const parts = checks.map(({ path, stats }) => isSameAt(path, stats))
    if (absence !== undefined) {
      if (!checks.includes(variant)) parts.push(isSameAt(variant.path, variant.stats))
      parts.push(isSameAt(absence.directory, absence.stats))
      const nowMs = performance.now()
      if (isAged(absence, nowMs)) {
        absence.atMs = nowMs
        parts.push(...absence.paths.map((path) => isSameAt(path, undefined)))
      }
    }
    try {
      return !(await Promise.all(parts)).includes(false)
    } catch {
      // The caller then finds the file again, which throws the error.
      return false
    }
  }

  #isAsBefore({ path, stats, checkedAt }: Check, now: CheckTime): boolean | 'unknown' {
    if (isRecent(checkedAt, now)) return true
    const found = this.#files.quickStat(path, now.atMs)
    if (found === 'unknown') return 'unknown'
    if (!isSameFound(found, stats)) return false
    checkedAt.turn = now.turn
    checkedAt.atMs = now.atMs
    return true
  }

  #isStillAbsent(absence: Absence, now: CheckTime): boolean | 'unknown' {
    if (isAged(absence, now.atMs)) return areNamesAbsent(absence, this.#files, now.atMs)
    const { directory } = absence
    let last = this.#directories.get(directory)
    if (last === undefined || !(isRecent(last, now) || isBrief(last, now))) {
      const found = this.#files.quickStat(directory, now.atMs)
      if (found === 'unknown') return 'unknown'
      last = { ...now, found: found && identityOf(found) }
      this.#directories.delete(directory)
      makeRoom(this.#directories, MAX_DIRECTORIES)
      this.#directories.set(directory, last)
    }
    return isSameDirectory(absence, last.found)
  }
}

/** Reports whether a check belongs to the same turn and is less than 1 ms old. */
function isRecent({ turn, atMs }: CheckTime, now: CheckTime): boolean {
  return turn === now.turn && turn !== NO_TURN && now.atMs - atMs < MAX_AGE_MS
}

/** Reports whether a check is so recent that a client cannot have reacted to the response. */
function isBrief({ atMs }: CheckTime, now: CheckTime): boolean {
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
