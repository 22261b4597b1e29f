import { showType, withCode } from '@fw/options'

/** Returns text as it is if it is UTF-8, and everything else as bytes. @throws {TypeError} if it is neither text nor bytes */
export function dataOf(chunk: unknown, encoding: unknown): string | Uint8Array {
  if (typeof chunk === 'string') {
    if (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)) return chunk
    return Buffer.from(chunk, encoding as BufferEncoding)
  }
  if (chunk instanceof Uint8Array) return chunk
  throw withCode(
    'FW_INVALID_BODY',
    new TypeError(`response.write: chunk must be a string or a Uint8Array, got ${showType(chunk)}.`),
  )
}
