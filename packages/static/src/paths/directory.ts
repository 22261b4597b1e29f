import { statSync, type Stats } from 'node:fs'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OptionKind, showValue, withCode } from '@fw/options'

/** Accepts paths and `file:` URLs. Refuses an empty path, which usually comes from a variable that is not set. */
export const fileLocation: OptionKind = {
  expected: 'a non-empty path or a file: URL',
  accepts: (value) => (value instanceof URL ? value.protocol === 'file:' : typeof value === 'string' && value !== ''),
  fix: locationFix,
}

/**
 * Returns the absolute path of a file or directory. Resolves a relative path against the working directory.
 *
 * @param what Start of error messages, for example `sendFile: path`
 * @throws {TypeError} if the location is not a non-empty path or a `file:` URL
 */
export function absolutePath(what: string, location: string | URL): string {
  if (!fileLocation.accepts(location)) {
    const got = showValue(location)
    throw withCode(
      'FW_INVALID_ARGUMENT',
      new TypeError(`${what} must be ${fileLocation.expected}, got ${got}. ${locationFix(location)}`),
    )
  }
  return typeof location === 'string' ? resolve(location) : fileURLToPath(location)
}

/**
 * Returns the directory to serve, as an absolute path with a trailing separator. Does not resolve links, so each
 * request follows the current link.
 *
 * @throws {TypeError} like `absolutePath`
 * @throws {Error} if the directory does not exist
 */
export function directoryToServe(location: string | URL): string {
  const what = 'staticFiles: directory'
  const path = absolutePath(what, location)
  checkDirectory(what, path, statSync(path, { throwIfNoEntry: false }))
  return withSeparator(path)
}

/** @throws {Error} if the path is not a directory */
export function checkDirectory(what: string, path: string, found: Stats | undefined): void {
  if (found?.isDirectory() === true) return
  const reason =
    found === undefined
      ? 'which does not exist. Create it, or use the directory that contains the files.'
      : 'which is not a directory. Use the directory that contains it.'
  throw withCode(
    'FW_MISSING_DIRECTORY',
    new Error(`${what} must be an existing directory, got ${JSON.stringify(path)}, ${reason}`),
  )
}

export function withSeparator(path: string): string {
  return path.endsWith(sep) ? path : path + sep
}

function locationFix(location: unknown): string {
  if (location instanceof URL) return `Replace "${location.protocol}" with "file:".`
  return 'Use "." for the working directory.'
}
