import type { PathGuards } from '../options.ts'
/** A path in the file system, which need not exist. */
export interface PathLocation {
  readonly kind: 'path'
  /** Path in the file system. */
  readonly file: string
  /** Decoded path below the mount, with a leading slash. */
  readonly name: string
  /** Whether the path ends in a slash. Such a path cannot name a file. */
  readonly isDirectory: boolean
  /** Whether the path has repeated slashes. If so, the file has a shorter path. */
  readonly isRedundant: boolean
}

/** Location of a request path. A refused path must not be looked up or answered with the fallback file. */
export type Location = PathLocation | { readonly kind: 'refused' }

const REFUSED: Location = { kind: 'refused' }

/**
 * Matches the characters of RFC 3986 §3.3, including `%`, and those that browsers do not encode: `[`, `]` and `|`. Some
 * frameworks name files `[slug].js`. Other bytes must be percent-encoded. Refuses a backslash.
 */
const PATH_CHARACTERS = /^[!$-;=@-[\]-~]*$/
/** Matches an encoded separator, which the router and the file system would interpret differently. */
const ENCODED_SEPARATOR = /%(?:2f|5c)/i
const CONTROL = /[\0-\x1f\x7f]/
const IS_WINDOWS = process.platform === 'win32'

/**
 * Converts a request path to a path in the file system. Paths are decoded and joined only here, and every check uses
 * exactly the joined string.
 *
 * @param base Directory to serve, with a trailing separator
 * @param rawPath Request path after the prefix, as received: empty, or starting with a slash
 */
export function locate(base: string, rawPath: string, guards: PathGuards): Location {
  if (!PATH_CHARACTERS.test(rawPath) || ENCODED_SEPARATOR.test(rawPath)) return REFUSED
  const decoded = decode(rawPath)
  return decoded === undefined ? REFUSED : locateName(base, decoded, guards)
}

/**
 * Converts a decoded path, such as a route parameter, to a path in the file system.
 *
 * @param path Empty, or starting with a slash
 */
export function locateName(base: string, path: string, guards: PathGuards): Location {
  if (path !== '' && !path.startsWith('/')) return REFUSED
  if (path.includes('\\') || CONTROL.test(path)) return REFUSED
  if (guards.dotdot === 'anywhere' && path.includes('..')) return REFUSED

  const segments = path.split('/').filter((segment) => segment !== '')
  if (segments.some((segment, index) => isRefused(segment, index, guards))) return REFUSED

  const name = segments.join('/')
  return {
    kind: 'path',
    file: base + name,
    name: `/${name}`,
    isDirectory: path.endsWith('/'),
    isRedundant: path.includes('//'),
  }
}

/** Joins a directory and a file name. */
export function locateIn(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`
}

/**
 * Returns the part of a request path that follows the prefix.
 *
 * @param segments Number of segments in the prefix. The text is not compared, because segments can be parameters
 */
export function belowPrefix(path: string, segments: number): string {
  let end = 0
  for (let left = segments; left > 0; left--) {
    end = path.indexOf('/', end + 1)
    if (end < 0) return ''
  }
  return path.slice(end)
}

function isRefused(segment: string, index: number, guards: PathGuards): boolean {
  if (IS_WINDOWS && isOtherOnWindows(segment)) return true
  if (!segment.startsWith('.')) return false
  // Some servers read `..;` as `..`.
  if (/^\.{1,2}(?:;|$)/.test(segment)) return true
  // RFC 8615: `.well-known` is the only dot directory that is public by design.
  return guards.dotfiles === 'deny' && !(index === 0 && segment === '.well-known')
}

/** Percent-decodes once. Returns `undefined` for a malformed escape or bytes that are not UTF-8. */
function decode(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Matches device names, with any extension. */
const DEVICE = /^(?:con|conin\$|conout\$|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:[.: ]|$)/i

/**
 * Reports whether Windows would open another file or a device for this name. `a.txt::$DATA` and `a.txt.` are `a.txt`.
 * `GIT~1` is the short name of `.git`, and `nul.txt` is a device. Without this check, the other checks would see a
 * different file from the one that Windows opens.
 *
 * @param segment Decoded path segment
 */
export function isOtherOnWindows(segment: string): boolean {
  return /[:*?"<>|]|~\d|[. ]$/.test(segment) || DEVICE.test(segment)
}
