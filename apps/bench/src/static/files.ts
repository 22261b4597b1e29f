import { gzipSync } from 'node:zlib'

const KIB = 1024
const MIB = KIB * KIB

/** Text that compresses about as well as a style sheet does. */
const STYLES: Buffer = Buffer.from(
  Array.from(
    { length: 600 },
    (_, i) => `.item-${i} > a:hover { color: #${(i * 7919).toString(16)}; margin: ${i}px }\n`,
  ).join(''),
)

type FileName = '1k.css' | '64k.css' | '10m.bin' | 'page.css' | 'page.css.gz'

/** Files that all servers serve. Only the sidecar scenario requests `page.css`. */
export const FILES: Readonly<Record<FileName, Buffer>> = {
  '1k.css': patterned(KIB),
  '64k.css': patterned(64 * KIB),
  '10m.bin': patterned(10 * MIB),
  'page.css': STYLES,
  'page.css.gz': gzipSync(STYLES),
}

/** Returns bytes that depend on the position, so that a misplaced slice fails the check. */
function patterned(bytes: number): Buffer {
  const words = new Uint32Array(bytes / 4).map((_, at) => Math.imul(at, 2_654_435_761))
  return Buffer.from(words.buffer)
}
