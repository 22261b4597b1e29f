import { constants } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { sep } from 'node:path'
import type { Confinement } from '../options.ts'
import { fileFailure, type FileFailure } from './file-failure.ts'
import { identityOf, type FileIdentity } from './file-identity.ts'

/** Up to this size a file is read at once and sent with its head, in bytes; a stream would read as much. */
export const WHOLE_BYTES: number = 64 * 1024

/** A file that is all in memory. */
export interface MemorySource {
  readonly stats: FileIdentity
  readonly bytes: Uint8Array
  /** If it is to be told, when the bytes are being sent. @returns To be called when they no longer are */
  readonly borrow?: () => () => void
}

/** An open file. Whoever opened it closes it, by `close`. */
export interface FileSource {
  readonly stats: FileIdentity
  readonly handle: FileHandle
  close(): Promise<void>
  /** Lets those go on who wait for the file to be in memory, as it will not be. */
  readonly release?: () => void
}

export type Source = MemorySource | FileSource

/** How often a file that is replaced at the very moment it is opened is tried. */
const ATTEMPTS = 8
/** How often in a row there is nothing to open before it is believed: what a switched link led to may be gone by then. */
const MISSES = 3

/**
 * Opens a regular file. What is checked is what is served: everything is asked of the handle, where it lies too. Where
 * the system does not tell that, the path is followed once more to see that it still leads to that handle and not out of
 * `base`.
 *
 * @param base Directory that the file must be in, with a trailing separator
 * @returns The failure, if that is one to be expected; a directory, pipe, socket or device is 'missing'
 * @throws the error of the file system otherwise
 */
export async function openSource(
  path: string,
  base: string,
  confinement: Confinement,
): Promise<FileSource | FileFailure> {
  // Opening a pipe must not wait for somebody to write into it, and opening a terminal must not make it that of the process.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY
  let misses = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let handle: FileHandle | undefined
    try {
      const place = confinement === 'follow' ? { file: path } : await pin(path, base)
      handle = await open(place.file, flags)
      const stats = await handle.stat({ bigint: true })
      if (!stats.isFile()) return 'missing'
      const outcome = await follow(place, confinement, handle, stats)
      if (outcome === 'outside') return 'outside'
      if (outcome === 'inside') {
        const opened = handle
        handle = undefined
        return { stats: identityOf(stats), handle: opened, close: () => opened.close() }
      }
    } catch (error) {
      const failure = fileFailure(error)
      if (failure === undefined) throw error
      misses = handle === undefined ? misses + 1 : 0
      if (failure !== 'missing' || misses === MISSES) return failure
    } finally {
      await handle?.close()
    }
  }
  return 'missing'
}

/** What an open file is now. */
export function stateOf({ handle }: FileSource): Promise<FileIdentity> {
  return handle.stat({ bigint: true })
}

/** A path of a file, and what the paths in the directory that it must be in begin with, without any links. */
interface Place {
  readonly file: string
  readonly prefix?: string
}

/**
 * The path of a file in what its directory is now. While a link to the directory is switched, as releases are, all that
 * follows is asked of one release.
 */
async function pin(path: string, base: string): Promise<Place> {
  const real = await realpath(base)
  const prefix = real.endsWith(sep) ? real : real + sep
  return { file: prefix + path.slice(base.length), prefix }
}

/** Whether an open file lies where it may; 'moved' if that is not known and its path no longer leads to it. */
async function follow(
  { file, prefix }: Place,
  confinement: Confinement,
  handle: FileHandle,
  stats: FileIdentity,
): Promise<'inside' | 'outside' | 'moved'> {
  if (prefix === undefined) return 'inside'
  const isInside = (real: string): boolean => (confinement === 'deny' ? real === file : real.startsWith(prefix))
  // Linux tells without another look at the path. A file that was deleted lies where it was, see proc_pid_fd(5).
  if (isInside(await readlink(`/proc/self/fd/${handle.fd}`).catch(() => ''))) return 'inside'
  const real = await realpath(file)
  if (!isInside(real)) return 'outside'
  const now = await lstat(real, { bigint: true })
  return now.ino === stats.ino && now.dev === stats.dev ? 'inside' : 'moved'
}
