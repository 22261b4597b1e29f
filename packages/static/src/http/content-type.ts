import mime from 'mime'

/** Media types of common extensions, independent of the `mime` package version. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['htm', 'text/html; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  // RFC 9239 §6.
  ['js', 'text/javascript; charset=utf-8'],
  ['mjs', 'text/javascript; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['map', 'application/json; charset=utf-8'],
  ['webmanifest', 'application/manifest+json; charset=utf-8'],
  ['manifest', 'application/manifest+json; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['ico', 'image/x-icon'],
  ['woff2', 'font/woff2'],
  ['woff', 'font/woff'],
  ['ttf', 'font/ttf'],
  ['otf', 'font/otf'],
  ['wasm', 'application/wasm'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
  ['pdf', 'application/pdf'],
  ['xml', 'application/xml; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
])

/** The extensions in `TYPES`, in lower case and without the dot. */
export const KNOWN_EXTENSIONS: readonly string[] = [...TYPES.keys()]

/**
 * Returns the `Content-Type` value for a file name; `application/octet-stream` if the extension is unknown.
 *
 * @see RFC 9110 §8.3
 */
export function contentType(name: string): string {
  const extension = extensionOf(name)
  if (extension === '') return 'application/octet-stream'
  const own = TYPES.get(extension)
  if (own !== undefined) return own
  const type = mime.getType(extension) ?? 'application/octet-stream'
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

/**
 * Returns the text after the last dot of the last segment, in lower case. Returns '' for a name without a dot and for a dot
 * file.
 */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  const start = name.lastIndexOf('/') + 1
  return dot > start ? name.slice(dot + 1).toLowerCase() : ''
}
