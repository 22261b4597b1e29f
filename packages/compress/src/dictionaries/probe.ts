import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, zstdDecompressSync } from 'node:zlib'
import { withCode } from '@fw/options'
import type { DictionaryCodec, DictionaryCoding } from './codecs.ts'
import { dictionaryOf } from './dictionary.ts'

/** Length of the body. Random bytes only shrink if the dictionary has them. */
const BODY_BYTES = 1024

/** Longest result that shows that the dictionary was used. */
const MAX_ENCODED_BYTES = 256

const HEADER_BYTES: Readonly<Record<DictionaryCoding, number>> = { dcb: 36, dcz: 40 }

/**
 * Checks that the runtime encodes and decodes with a dictionary. Some implementations of `node:zlib` ignore the option silently,
 * and the client could not decode their responses.
 *
 * @throws {Error} if the runtime does not support the coding
 */
export function probeCodec(coding: DictionaryCoding, codec: DictionaryCodec): void {
  const body = randomBytes(BODY_BYTES)
  if (isSupported(coding, codec, body)) return
  const message =
    `dictionaries: this version of Node.js (${process.versions.node}) does not support dictionaries for "${coding}". ` +
    'Install Node.js 24.21 or later, or omit the coding from option "codings".'
  throw withCode('FW_NODE_VERSION', new Error(message))
}

function isSupported(coding: DictionaryCoding, codec: DictionaryCodec, body: Uint8Array): boolean {
  try {
    const encoded = codec.encode(body, body.byteLength, dictionaryOf(body))
    if (encoded.byteLength > MAX_ENCODED_BYTES) return false
    const decode = coding === 'dcb' ? brotliDecompressSync : zstdDecompressSync
    return decode(encoded.subarray(HEADER_BYTES[coding]), { dictionary: body }).equals(body)
  } catch {
    // A runtime without the function throws a TypeError.
    return false
  }
}
