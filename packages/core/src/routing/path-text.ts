/** Placeholder for an encoded slash: a lone surrogate, which percent-encoding cannot produce. */
const ENCODED_SLASH = '\udc2f'
/** Matches every placeholder. With the flag `u`, it does not match half of a surrogate pair. */
const ENCODED_SLASHES = /\udc2f/gu

/**
 * Decodes a path once. An encoded slash becomes a placeholder, because it does not separate segments. `segmentText`
 * restores it.
 *
 * @returns `undefined` if a percent-encoding is malformed or not UTF-8
 */
export function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path.replace(/%2f/gi, ENCODED_SLASH))
  } catch {
    // The URIError contains no further information.
    return undefined
  }
}

/** Returns the text of a decoded path segment. */
export function segmentText(piece: string): string {
  return piece.replace(ENCODED_SLASHES, '/')
}

/**
 * Converts a path to lower case for comparison. Keeps the length of the path: `İ` is the only character whose
 * lower-case form is longer.
 */
export function withoutCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase()
}

/** Adds a trailing slash, or removes it. The result for `/` is empty, which matches no pattern. */
export function toggleSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`
}

/**
 * Returns a relative reference from a path to the same path with the slash toggled. A relative reference works behind a
 * proxy that strips a prefix, and never leads to another host.
 *
 * @example
 * referenceToOtherEnd('/a/b')     // './b/'
 * referenceToOtherEnd('/a/b/')    // '../b'
 */
export function referenceToOtherEnd(path: string): string {
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1)
  return path.endsWith('/') ? `../${name.slice(0, -1)}` : `./${name}/`
}
