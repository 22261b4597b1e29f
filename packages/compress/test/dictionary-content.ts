import { createHash } from 'node:crypto'
import { brotliDecompressSync, type BrotliOptions, gunzipSync, zstdDecompressSync, type ZstdOptions } from 'node:zlib'
import type { Context } from '@fw/types'

/** Returns a script whose hexadecimal digests hardly shrink. One line in 100 depends on the version. */
function script(version: number, lines: number): string {
  return Array.from({ length: lines }, (_, i) => {
    const seed = i % 100 === 0 ? `${i} ${version}` : String(i)
    return `export const name${i} = '${createHash('md5').update(seed).digest('hex')}'`
  }).join('\n')
}

/** Two versions of a script. */
export const OLD: string = script(1, 1500)
export const NEW: string = script(2, 1500)
/** `@fw/static` streams these, because they are too long for its cache. */
export const OLD_LARGE: string = script(1, 20_000)
export const NEW_LARGE: string = script(2, 20_000)

/** Returns a list in which one record in ten depends on the version. */
export function list(version: number): { id: number; name: string; note: string }[] {
  return Array.from({ length: 300 }, (_, id) => {
    const changed = id % 10 === 0 ? version : 0
    return { id, name: `item ${id} ${changed}`, note: createHash('md5').update(String(id)).digest('hex') }
  })
}

/** Returns the value of `Available-Dictionary` for a dictionary. */
export function sha256(bytes: string | Uint8Array): string {
  return `:${createHash('sha256').update(bytes).digest('base64')}:`
}

/** Decodes a body. @param dictionary Has no effect without dcz or dcb */
export function decode(coding: string | null, bytes: Uint8Array, dictionary: string | Uint8Array): string {
  const options: ZstdOptions & BrotliOptions = { dictionary: Buffer.from(dictionary) }
  if (coding === 'dcz') return String(zstdDecompressSync(bytes.subarray(40), options))
  if (coding === 'dcb') return String(brotliDecompressSync(bytes.subarray(36), options))
  if (coding === 'br') return String(brotliDecompressSync(bytes))
  if (coding === 'zstd') return String(zstdDecompressSync(bytes))
  return coding === 'gzip' ? String(gunzipSync(bytes)) : String(Buffer.from(bytes))
}

/** Fields of a response that every client may have. */
export const PUBLIC: { readonly 'cache-control': string } = { 'cache-control': 'public, max-age=60' }

/** Responds with the new script. */
export function sendScript(ctx: Context, headers: Record<string, string> = {}): void {
  ctx.text(NEW, { headers: { 'content-type': 'text/javascript', ...PUBLIC, ...headers } })
}
