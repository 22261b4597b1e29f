import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { identityOf, isSameState, isSettled, type FileIdentity } from '../files/file-identity.ts'
import type { FileStat } from './file-stat.ts'
import type { Absence, Resolution } from './resolution.ts'

/**
 * Some file systems, such as object stores, do not keep the times of directories: this often the names themselves are
 * looked for.
 */
const MAX_AGE_MS = 1000

/**
 * Has the coming and going of sidecars told by the directory, where that is safe. What is left to be looked at each time
 * is the plain file, and a sidecar that is to be sent.
 *
 * @throws the error of `stat` if the process may not look, or the file system fails
 */
export async function gatherAbsence(resolution: Resolution, files: FileStat): Promise<Resolution> {
  const { variants, looks } = resolution
  const plain = variants[variants.length - 1]
  if (plain === undefined || looks.length === 1) return resolution
  const paths = looks.filter(({ stats }) => stats === undefined).map(({ path }) => path)
  // What is there and no variant may become one where it is: its directory would not tell.
  if (paths.length + variants.length < looks.length) return resolution
  const directory = dirname(plain.path)
  const atMs = performance.now()
  const stats = await files.look(directory)
  // A change so soon after another one might not show.
  if (stats === undefined || !isSettled(stats)) return resolution
  // After the directory, so that whatever comes later changes it.
  const areNamed = await Promise.all(paths.map(isNamed))
  if (areNamed.includes(true)) return resolution
  return { variants, looks: [plain], absence: { paths, directory, stats: identityOf(stats), atMs } }
}

/** Whether the names themselves have to be looked for again. */
export function isAged(absence: Absence, nowMs: number): boolean {
  return nowMs - absence.atMs >= MAX_AGE_MS
}

/** Whether the directory is what it was, so that none of the names is in it. */
export function isSameDirectory(absence: Absence, found: FileIdentity | undefined): boolean {
  return found !== undefined && isSameState(found, absence.stats)
}

/** Looks for the names themselves. False where it is not known whether they are there. */
export function lookForNames(absence: Absence, files: FileStat, nowMs: number): boolean {
  absence.atMs = nowMs
  return absence.paths.every((path) => files.lookNow(path) === undefined)
}

/** A link that leads nowhere is there: what it leads to may come without a change of its directory. */
async function isNamed(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    // Anything else is no response, so the name is looked at each time.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}
