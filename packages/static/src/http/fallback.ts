import { extensionOf, KNOWN_EXTENSIONS } from './content-type.ts'
import { parseWeights } from './weights.ts'

/** Extensions of what pages load and nobody navigates to, beside those with a type of their own. */
const IMAGES = 'apng bmp cur gif heic heif jxl tif tiff'
const FONTS = 'eot ttc'
const MEDIA = 'aac avi flac m4a m4v mkv mov mp3 mpeg mpg oga ogg ogv opus vtt wav'
const ARCHIVES = '7z br bz2 gz rar tar tgz xz zip zst'
const SOURCES = 'cjs csv jsonld jsx less md rss scss ts tsx vue'

const ASSET_EXTENSIONS: ReadonlySet<string> = new Set([
  ...KNOWN_EXTENSIONS,
  ...[IMAGES, FONTS, MEDIA, ARCHIVES, SOURCES].flatMap((list) => list.split(' ')),
])

/** What a path that names no file gets in a single-page application. */
export interface FallbackRule {
  /** Whether the fallback file is the response; otherwise it is 404. */
  readonly applies: boolean
  /** Whether another `Accept` would have had another response. */
  readonly dependsOnAccept: boolean
}

/**
 * Decides whether a path that names no file is a route of the application in the browser. A missing script must not
 * be answered with a page: it would be cached, and fail to parse, under the script's name.
 *
 * @param name Decoded path below the mount, with a leading slash
 * @param accept The `Accept` field, `null` when absent
 */
export function fallbackRule(name: string, accept: string | null): FallbackRule {
  // RFC 8615: what lives there is asked for by machines, which take any 200 for a response.
  if (name === '/.well-known' || name.startsWith('/.well-known/')) return { applies: false, dependsOnAccept: false }
  if (!ASSET_EXTENSIONS.has(extensionOf(name))) return { applies: true, dependsOnAccept: false }
  return { applies: acceptsHtml(accept), dependsOnAccept: true }
}

/** Whether HTML is asked for by name; a wildcard does not count. */
function acceptsHtml(accept: string | null): boolean {
  if (accept === null) return false
  const weights = parseWeights(accept)
  return (weights.get('text/html') ?? 0) > 0 || (weights.get('application/xhtml+xml') ?? 0) > 0
}
