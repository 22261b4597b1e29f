import { constants } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { sep } from 'node:path'
import type { Confinement } from '../options.ts'
import { fileFailure, type FileFailure } from './file-failure.ts'
import { identityOf, type FileIdentity } from './file-identity.ts'

/**
 * Maximum size in bytes of a file that is read whole and sent together with the response head. A stream would read the same
 * amount.
 */
export const WHOLE_BYTES: number = 64 * 1024

/** A whole file in memory. */
export interface MemorySource {
  readonly stats: FileIdentity
  readonly bytes: Uint8Array
  /** Counts a response that sends the bytes. Call the returned function when that response has ended. */
  readonly borrow?: () => () => void
}

/** An open file. The caller that opened it calls `close`. */
export interface FileSource {
  readonly stats: FileIdentity
  readonly handle: FileHandle
  close(): Promise<void>
  /** Wakes the requests that are waiting for the file to be in memory, because it will be streamed. */
  readonly release?: () => void
}

export type Source = MemorySource | FileSource

/** Maximum number of attempts to open a file that is replaced while it is being opened. */
const ATTEMPTS = 8
/**
 * Number of consecutive failures to find a file before it counts as missing. A link can be switched between the lookup and the
 * open call.
 */
const MISSES = 3

/**
 * Opens a regular file. All checks use the open handle, so the checked file is the served file. If the system does not report
 * the path of a handle, resolves the original path again and compares the result with the handle.
 *
 * @param base Directory that must contain the file, with a trailing separator
 * @returns The failure if the file cannot be opened for an expected reason. A directory, pipe, socket or device is
 * 'missing'
 * @throws any other file system error
 */
export async function openSource(
  path: string,
  base: string,
  confinement: Confinement,
): Promise<FileSource | FileFailure> {
  // Do not wait for a writer when opening a pipe, and do not acquire a controlling terminal.
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

/** Returns the current state of an open file. */
export function stateOf({ handle }: FileSource): Promise<FileIdentity> {
  return handle.stat({ bigint: true })
}

/** A path to open, and the resolved directory that must contain the file. */
interface Place {
  readonly file: string
  readonly prefix?: string
}

/**
 * Resolves links in the directory path. Even if a deployment switches a link to the directory, every later step uses the same
 * release.
 */
async function pin(path: string, base: string): Promise<Place> {
  const real = await realpath(base)
  const prefix = real.endsWith(sep) ? real : real + sep
  return { file: prefix + path.slice(base.length), prefix }
}

/** Reports the location of an open file; 'moved' if its path now refers to another file. */
async function follow(
  { file, prefix }: Place,
  confinement: Confinement,
  handle: FileHandle,
  stats: FileIdentity,
): Promise<'inside' | 'outside' | 'moved'> {
  if (prefix === undefined) return 'inside'
  const isInside = (real: string): boolean => (confinement === 'deny' ? real === file : real.startsWith(prefix))
  // Linux reports the path of a descriptor. The path of a deleted file remains readable: see proc_pid_fd(5).
  if (isInside(await readlink(`/proc/self/fd/${handle.fd}`).catch(() => ''))) return 'inside'
  const real = await realpath(file)
  if (!isInside(real)) return 'outside'
  const now = await lstat(real, { bigint: true })
  return now.ino === stats.ino && now.dev === stats.dev ? 'inside' : 'moved'
}
