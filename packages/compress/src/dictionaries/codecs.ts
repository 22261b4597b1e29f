import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { BodyEncoder, PushBytes } from '@fw/types'
import { streamEncoder } from '../stream-encoder.ts'
import type { Dictionary } from './dictionary.ts'
import { zstdParameters, zstdWindowLog } from './zstd-parameters.ts'

/** A content coding with a dictionary: Brotli or zstd. */
export type DictionaryCoding = 'dcb' | 'dcz'

/** Encodes bodies with one coding. */
export interface DictionaryCodec {
  /** Encodes a body on the event loop. */
  encode(body: string | Uint8Array, lengthBytes: number, dictionary: Dictionary): Uint8Array
  /** Encodes a body on the thread pool. */
  encodeLater(body: string | Uint8Array, lengthBytes: number, dictionary: Dictionary): Promise<Uint8Array>
  /** Encodes a body piece by piece. @param lengthBytes The length of the body, if it is known */
  stream(dictionary: Dictionary, lengthBytes: number | undefined): BodyEncoder
  /** Returns the approximate memory of `stream` in bytes. */
  streamBytes(dictionary: Dictionary, lengthBytes: number | undefined): number
}

/** RFC 9842 §4. */
const DCB_MAGIC = Buffer.from('ff444342', 'hex')
/** RFC 9842 §5: the header of a skippable frame with 32 bytes of content. */
const DCZ_MAGIC = Buffer.from('5e2a4d1820000000', 'hex')

const { constants: C } = zlib

const MIB = 1024 * 1024

/** The types of Node.js do not have the option yet. */
type BrotliDictionaryOptions = zlib.BrotliOptions & { readonly dictionary: Uint8Array }

/** Returns the codec for a coding. @param level Default: depends on the length for `dcz`, 5 for `dcb` */
export function dictionaryCodec(coding: DictionaryCoding, level: number | undefined): DictionaryCodec {
  return coding === 'dcz' ? dcz(level) : dcb(level ?? 5)
}

function dcz(level: number | undefined): DictionaryCodec {
  const later = promisify(zlib.zstdCompress) as (body: zlib.InputType, options: zlib.ZstdOptions) => Promise<Buffer>
  const optionsFor = ({ bytes }: Dictionary, lengthBytes: number | undefined): zlib.ZstdOptions => ({
    dictionary: bytes,
    params: zstdParameters(bytes.byteLength, lengthBytes, level),
    // Without the length, Node.js makes no frame with a single segment on the thread pool (see `zstdWindowLog`).
    ...(lengthBytes === undefined ? {} : { pledgedSrcSize: lengthBytes }),
  })
  return {
    encode: (body, lengthBytes, dictionary) =>
      Buffer.concat([DCZ_MAGIC, dictionary.digest, zlib.zstdCompressSync(body, optionsFor(dictionary, lengthBytes))]),
    encodeLater: async (body, lengthBytes, dictionary) =>
      Buffer.concat([DCZ_MAGIC, dictionary.digest, await later(body, optionsFor(dictionary, lengthBytes))]),
    stream(dictionary, lengthBytes) {
      const stream = zlib.createZstdCompress(optionsFor(dictionary, lengthBytes))
      return withHeader([DCZ_MAGIC, dictionary.digest], streamEncoder(stream, C.ZSTD_e_flush))
    },
    // The window, its tables, and a copy of the dictionary with its own.
    streamBytes: ({ bytes }, lengthBytes) =>
      MIB + 5 * 2 ** zstdWindowLog(bytes.byteLength, lengthBytes) + 2 * bytes.byteLength,
  }
}

function dcb(level: number): DictionaryCodec {
  const later = promisify(zlib.brotliCompress) as (body: zlib.InputType, options: zlib.BrotliOptions) => Promise<Buffer>
  // The default window of 4 MiB is below the limit of §4, and does not restrict the dictionary.
  const optionsFor = ({ bytes }: Dictionary, lengthBytes: number | undefined): BrotliDictionaryOptions => ({
    dictionary: bytes,
    params: { [C.BROTLI_PARAM_QUALITY]: level, [C.BROTLI_PARAM_SIZE_HINT]: lengthBytes ?? 0 },
  })
  return {
    encode: (body, lengthBytes, dictionary) =>
      Buffer.concat([DCB_MAGIC, dictionary.digest, zlib.brotliCompressSync(body, optionsFor(dictionary, lengthBytes))]),
    encodeLater: async (body, lengthBytes, dictionary) =>
      Buffer.concat([DCB_MAGIC, dictionary.digest, await later(body, optionsFor(dictionary, lengthBytes))]),
    stream(dictionary, lengthBytes) {
      const stream = zlib.createBrotliCompress(optionsFor(dictionary, lengthBytes))
      return withHeader([DCB_MAGIC, dictionary.digest], streamEncoder(stream, C.BROTLI_OPERATION_FLUSH))
    },
    streamBytes: ({ bytes }) => 4 * MIB + 4 * bytes.byteLength,
  }
}

/** Returns an encoder that sends a header before the first bytes of another encoder. */
function withHeader(header: readonly Uint8Array[], encoder: BodyEncoder): BodyEncoder {
  let isSent = false
  const after = (push: PushBytes): PushBytes => {
    if (!isSent) push(Buffer.concat(header))
    isSent = true
    return push
  }
  return {
    write: (chunk, push) => encoder.write(chunk, after(push)),
    flush: (push) => encoder.flush(after(push)),
    end: (push) => encoder.end(after(push)),
    cancel: () => encoder.cancel(),
  }
}
