import { extensionOf, KNOWN_EXTENSIONS } from './content-type.ts'
import { parseWeights } from '@fw/http-fields'

/** Extensions of files that pages load but users do not open, in addition to `KNOWN_EXTENSIONS`. */
const IMAGES = 'apng bmp cur gif heic heif jxl tif tiff'
const FONTS = 'eot ttc'
const MEDIA = 'aac avi flac m4a m4v mkv mov mp3 mpeg mpg oga ogg ogv opus vtt wav'
const ARCHIVES = '7z br bz2 gz rar tar tgz xz zip zst'
const SOURCES = 'cjs csv jsonld jsx less md rss scss ts tsx vue'

const ASSET_EXTENSIONS: ReadonlySet<string> = new Set([
  ...KNOWN_EXTENSIONS,
  ...[IMAGES, FONTS, MEDIA, ARCHIVES, SOURCES].flatMap((list) => list.split(' ')),
])

/** How to answer a path without a file in a single-page application. */
export interface FallbackRule {
  /** Whether to send the fallback file instead of 404. */
  readonly applies: boolean
  /** Whether the decision depends on `Accept`. If so, the response needs `Vary`. */
  readonly dependsOnAccept: boolean
}

/**
 * Decides whether a path without a file is a client-side route of the application. A request for a missing script must not be
 * answered with a page, which the browser would cache under the script's name and fail to parse.
 *
 * @param name Decoded path below the mount, with a leading slash
 * @param accept The `Accept` field; `null` if absent
 */
export function fallbackRule(name: string, accept: string | null): FallbackRule {
  // RFC 8615: programs request these paths and accept any 200.
  if (name === '/.well-known' || name.startsWith('/.well-known/')) return { applies: false, dependsOnAccept: false }
  if (!ASSET_EXTENSIONS.has(extensionOf(name))) return { applies: true, dependsOnAccept: false }
  return { applies: acceptsHtml(accept), dependsOnAccept: true }
}

/** Reports whether `Accept` names HTML. A wildcard does not count. */
function acceptsHtml(accept: string | null): boolean {
  if (accept === null) return false
  const weights = parseWeights(accept)
  return (weights.get('text/html') ?? 0) > 0 || (weights.get('application/xhtml+xml') ?? 0) > 0
}
