import type { PathGuards } from '../options.ts'
/** A place in the file system; whether anything is there is not known yet. */
export interface PathLocation {
  readonly kind: 'path'
  /** Path in the file system. */
  readonly file: string
  /** Decoded path below the mount, with a leading slash. */
  readonly name: string
  /** Whether the path ends in a slash, so that it cannot name a file. */
  readonly isDirectory: boolean
  /** Whether slashes are repeated, so that the file has another path. */
  readonly isRedundant: boolean
}

/** Where a request path leads. One that is refused must not be looked up, nor fall back to anything. */
export type Location = PathLocation | { readonly kind: 'refused' }

const REFUSED: Location = { kind: 'refused' }

/**
 * What a path may hold: by RFC 3986 §3.3, `%` included, and what clients send as it is all the same, browsers `[`, `]` and
 * `|`: frameworks call the chunks of routes `[slug].js`. Other bytes have to be encoded, and a backslash is refused.
 */
const PATH_CHARACTERS = /^[!$-;=@-[\]-~]*$/
/** An encoded separator would be one here and none in the router, or the other way round. */
const ENCODED_SEPARATOR = /%(?:2f|5c)/i
const CONTROL = /[\0-\x1f\x7f]/
const IS_WINDOWS = process.platform === 'win32'

/**
 * Turns the path of a request, below its mount, into a path in the file system. This is the one place where a path is
 * decoded and joined; every check is made on exactly the string that is joined.
 *
 * @param base Directory to serve, with a trailing separator
 * @param rawPath What follows the prefix of the mount, as received: empty, or starting with a slash
 */
export function locate(base: string, rawPath: string, guards: PathGuards): Location {
  if (!PATH_CHARACTERS.test(rawPath) || ENCODED_SEPARATOR.test(rawPath)) return REFUSED
  const decoded = decode(rawPath)
  return decoded === undefined ? REFUSED : locateName(base, decoded, guards)
}

/**
 * As `locate`, for a path that is decoded already, such as a route parameter.
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

/** The path of a file in a directory. */
export function locateIn(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`
}

/**
 * What follows the prefix of a mount in a request path.
 *
 * @param segments Number of segments of the prefix; they may be parameters, so their text is not compared
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
  // Some servers further in take `..;` for `..`.
  if (/^\.{1,2}(?:;|$)/.test(segment)) return true
  // RFC 8615: the one directory with a dot that is meant to be public.
  return guards.dotfiles === 'deny' && !(index === 0 && segment === '.well-known')
}

/** Percent-decodes once; `undefined` if an escape is malformed or the bytes are no UTF-8. */
function decode(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    // A malformed path is an expected response, not an error.
    return undefined
  }
}

/** Devices, whatever extension follows. */
const DEVICE = /^(?:con|conin\$|conout\$|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:[.: ]|$)/i

/**
 * Whether Windows takes a name of a file for another one, or for none: `a.txt::$DATA` and `a.txt.` are `a.txt`, `GIT~1` is what it
 * calls `.git` for old programs, and `nul.txt` is a device. A check of the name would say nothing about what is opened.
 *
 * @param segment Of a path, decoded
 */
export function isOtherOnWindows(segment: string): boolean {
  return /[:*?"<>|]|~\d|[. ]$/.test(segment) || DEVICE.test(segment)
}
