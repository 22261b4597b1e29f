import { hash } from 'node:crypto'
import { parseItem } from '@fw/http-fields'

/** Begins a trained zstd dictionary (RFC 8878 §5). */
const STRUCTURED_MAGIC = Buffer.from('37a430ec', 'hex')

const SHA256_BYTES = 32

/** The content of an earlier response. */
export interface Dictionary {
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes. */
  readonly digest: Uint8Array
}

/** Creates a dictionary. @param bytes Not copied: do not change them */
export function dictionaryOf(bytes: Uint8Array): Dictionary {
  return { bytes, digest: hash('sha256', bytes, 'buffer') }
}

/**
 * Reports whether a body can be a dictionary. zstd parses a body that begins like a trained dictionary as one, and then
 * fails.
 */
export function isRaw(body: string | Uint8Array): boolean {
  // No UTF-8 text begins with these bytes.
  return typeof body === 'string' || !STRUCTURED_MAGIC.equals(body.subarray(0, 4))
}

/** Returns the key of a dictionary in a map. */
export function keyOf(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('base64')
}

/**
 * Parses an `Available-Dictionary` field.
 *
 * @returns The SHA-256 of the client's dictionary; `undefined` if the field is absent or malformed
 * @see RFC 9842 §2.2
 */
export function parseAvailable(field: string | null): Uint8Array | undefined {
  if (field === null) return undefined
  const value = parseItem(field)?.value
  return value instanceof Uint8Array && value.byteLength === SHA256_BYTES ? value : undefined
}
