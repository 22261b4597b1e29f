/** Stands for an encoded slash: a lone surrogate, which no percent-encoding gives. */
const ENCODED_SLASH = '\udc2f'
/** With the flag `u` it matches a lone one only, not the half of a character. */
const ENCODED_SLASHES = /\udc2f/gu

/**
 * Decodes a path once. A slash that was encoded does not separate segments; `segmentText` makes it one again.
 *
 * @returns `undefined` if a percent-encoding is malformed or encodes no UTF-8
 */
export function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path.replace(/%2f/gi, ENCODED_SLASH))
  } catch {
    // The URIError says no more than `undefined` does.
    return undefined
  }
}

/** A piece of a decoded path as it was meant. */
export function segmentText(piece: string): string {
  return piece.replace(ENCODED_SLASHES, '/')
}

/** Text of a path without case. It keeps its length: `İ` is the only letter whose lower case is longer. */
export function withoutCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase()
}

/** A path with the slash at its end taken away, or one added. That of `/` is empty, which no pattern matches. */
export function toggleSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`
}

/**
 * The way from a path to its other end as a relative reference: it holds behind a proxy that takes a prefix off, and
 * never leads to another host, whatever the path begins with.
 *
 * @example
 * referenceToOtherEnd('/a/b')     // './b/'
 * referenceToOtherEnd('/a/b/')    // '../b'
 */
export function referenceToOtherEnd(path: string): string {
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1)
  return path.endsWith('/') ? `../${name.slice(0, -1)}` : `./${name}/`
}
