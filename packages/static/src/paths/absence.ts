import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { identityOf, isSameState, isSettled, type FileIdentity } from '../files/file-identity.ts'
import type { FileStat } from './file-stat.ts'
import type { Absence, Resolution } from './resolution.ts'

/**
 * Interval between checks of the absent names themselves. Some file systems, such as object stores, do not update
 * directory times.
 */
const MAX_AGE_MS = 1000

/**
 * Replaces the checks of absent sidecars with one check of their directory, if that is safe. Each request then checks the plain
 * file, the directory and the sidecar that it sends.
 *
 * @throws an error from `stat` if the process has no permission or the file system fails
 */
export async function gatherAbsence(resolution: Resolution, files: FileStat): Promise<Resolution> {
  const { variants, checks } = resolution
  const plain = variants[variants.length - 1]
  if (plain === undefined || checks.length === 1) return resolution
  const paths = checks.filter(({ stats }) => stats === undefined).map(({ path }) => path)
  // An existing path that is not a variant can become a variant without a change to its directory.
  if (paths.length + variants.length < checks.length) return resolution
  const directory = dirname(plain.path)
  const atMs = performance.now()
  const stats = await files.stat(directory)
  // Two changes in quick succession can leave the directory time unchanged.
  if (stats === undefined || !isSettled(stats)) return resolution
  // Check the names after the directory: any file added later then changes the directory time.
  const areNamed = await Promise.all(paths.map(isNamed))
  if (areNamed.includes(true)) return resolution
  return { variants, checks: [plain], absence: { paths, directory, stats: identityOf(stats), atMs } }
}

/** Reports whether the names themselves must be checked again. */
export function isAged(absence: Absence, nowMs: number): boolean {
  return nowMs - absence.atMs >= MAX_AGE_MS
}

/** Reports whether the directory is unchanged. If so, the names are still absent. */
export function isSameDirectory(absence: Absence, found: FileIdentity | undefined): boolean {
  return found !== undefined && isSameState(found, absence.stats)
}

/** Checks the names themselves. Returns false if one exists or its check would block. */
export function areNamesAbsent(absence: Absence, files: FileStat, nowMs: number): boolean {
  absence.atMs = nowMs
  return absence.paths.every((path) => files.quickStat(path) === undefined)
}

/** Reports whether a name exists. A dangling link counts: its target can appear without a change to the directory. */
async function isNamed(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    // Other errors do not prove absence, so every request checks the name.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}
