import { statSync, type Stats } from 'node:fs'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'

/**
 * The absolute path of a file or directory given by its path, relative ones from the working directory, or by its URL.
 *
 * @throws {TypeError} if it is neither; an empty path, as of a variable that is not set, is none
 */
export function absolutePath(location: string | URL): string {
  if (typeof location === 'string' && location !== '') return resolve(location)
  if (!(location instanceof URL)) {
    throw new TypeError(`Cannot serve ${inspect(location)}: give a path, '.' for the working directory, or a file: URL`)
  }
  if (location.protocol !== 'file:') throw new TypeError(`Cannot serve ${location.href}: it is no file: URL`)
  return fileURLToPath(location)
}

/**
 * The directory to serve, as an absolute path with a trailing separator. Links in it are not resolved, so that a
 * directory switched by a link serves what the link leads to at that time.
 *
 * @throws {TypeError} as `absolutePath`
 * @throws {Error} if there is no such directory
 */
export function directoryToServe(location: string | URL): string {
  const path = absolutePath(location)
  checkDirectory(path, statSync(path, { throwIfNoEntry: false }))
  return withSeparator(path)
}

/** @throws {Error} if what was found at the path is no directory */
export function checkDirectory(path: string, found: Stats | undefined): void {
  if (found === undefined)
    throw new Error(`Cannot serve ${path}: there is no such directory. Make it, or name the one with the files`)
  if (!found.isDirectory()) throw new Error(`Cannot serve ${path}: it is no directory`)
}

export function withSeparator(path: string): string {
  return path.endsWith(sep) ? path : path + sep
}
