/** Compressible media types, in addition to `text/*` and the structured suffixes. */
const COMPRESSIBLE: ReadonlySet<string> = new Set([
  'application/javascript',
  'application/json',
  'application/jsonl',
  'application/manifest+json',
  'application/rtf',
  'application/vnd.ms-fontobject',
  'application/wasm',
  'application/x-javascript',
  'application/x-ndjson',
  'application/xml',
  'application/yaml',
  'font/collection',
  'font/otf',
  'font/ttf',
  'image/bmp',
  'image/svg+xml',
  'image/vnd.microsoft.icon',
  'image/x-icon',
])

export const EVENT_STREAM = 'text/event-stream'

/** Returns the media type of a `Content-Type` field in lower case, without parameters. */
export function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';')
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/**
 * Reports whether bodies of a media type shrink. False for event streams, and for types that are already compressed,
 * such as most images.
 */
export function isCompressible(mediaType: string): boolean {
  if (mediaType.startsWith('text/')) return mediaType !== EVENT_STREAM
  return COMPRESSIBLE.has(mediaType) || mediaType.endsWith('+json') || mediaType.endsWith('+xml')
}
