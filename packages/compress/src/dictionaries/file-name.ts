/** Longest name and path in characters, so that a client cannot cause much work. No file system has longer names. */
const MAX_NAME_LENGTH = 255
const MAX_PATH_LENGTH = 1024

/**
 * Matches a content hash between a name and its extensions: 8 characters of base64url with an upper-case letter or a digit, or at
 * least 9 hexadecimal digits. `main-vendor.js` has none.
 */
const HASH = /^(.+?)[.\-_~](?:(?=[^.]*[A-Z0-9])[\w-]{8}|(?=[a-f]*\d)[\da-f]{9,64})((?:\.[\w-]+)*)$/

const EXTENSION = /^(.+?)(\.[^.]*)?$/

/**
 * Returns the name that all versions of a file share: without the content hash, and with `*` instead.
 *
 * @returns `undefined` for a name that is empty, too long, or contains `*`
 *
 * @example
 * stemOf('main.3f2a1b9c.js')   // main*.js
 * stemOf('main.js')            // main*.js
 */
export function stemOf(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH || name.includes('*')) return undefined
  const [, stem, extensions = ''] = HASH.exec(name) ?? EXTENSION.exec(name) ?? []
  return stem === undefined ? undefined : `${stem}*${extensions}`
}

/** Returns the last segment of a path; empty after a slash at its end. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * Returns the URL pattern of all versions of a file. A URL that does not end with the name of the file, such as `/` for
 * `index.html`, is its own pattern.
 *
 * @param path The path of the URL
 * @param name The name of the file
 * @returns `undefined` if no pattern matches the URL alone
 */
export function patternOf(path: string, name: string): string | undefined {
  if (path.length > MAX_PATH_LENGTH || !/^\/(?!\/)[\x21-\x7e]*$/.test(path)) return undefined
  const stem = name !== '' && lastSegment(path) === name ? stemOf(name) : undefined
  if (stem === undefined) return escaped(path)
  const [before = '', after = ''] = stem.split('*')
  return `${escaped(path.slice(0, -name.length) + before)}*${escaped(after)}`
}

/** Escapes the characters that have a meaning in URL patterns. */
function escaped(part: string): string {
  return part.replaceAll(/[:(){}?+*\\]/g, String.raw`\$&`)
}
