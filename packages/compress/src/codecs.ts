import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Coding } from './options.ts'

/** Bodies below this length use small tables, because clearing full-size tables takes longer than encoding such a body. */
const SMALL_BYTES = 32 * 1024

const { constants: C } = zlib

/** Smaller tables for an event stream, which keeps them in memory while it is open. */
const EVENT_ZSTD = { [C.ZSTD_c_windowLog]: 16, [C.ZSTD_c_hashLog]: 13, [C.ZSTD_c_chainLog]: 13 }
const SMALL_ZSTD = { [C.ZSTD_c_windowLog]: 15, [C.ZSTD_c_hashLog]: 14, [C.ZSTD_c_chainLog]: 14 }
/** RFC 9659: a decoder of the `zstd` coding need not support windows above 8 MiB. */
const MAX_ZSTD_WINDOW = { [C.ZSTD_c_windowLog]: 23 }

/** Encodes whole bodies and streams with one coding. */
export interface Codec {
  /** Encodes a body on the event loop. */
  encode(body: string | Uint8Array, lengthBytes: number): Uint8Array
  /** Encodes a body on the thread pool. */
  encodeLater(body: string | Uint8Array, lengthBytes: number): Promise<Uint8Array>
  /** Creates a stream that encodes written data. @param isEvents Whether the stream can remain open for hours */
  stream(isEvents: boolean): zlib.Gzip | zlib.BrotliCompress | zlib.ZstdCompress
  /** Constant that flushes a stream without resetting its tables. */
  readonly flushKind: number
}

/** Returns the codec for a coding. */
export function codecOf(coding: Coding, level: number): Codec {
  return coding === 'gzip' ? gzip(level) : coding === 'br' ? brotli(level) : zstd(level)
}

function gzip(level: number): Codec {
  const options = { level }
  const later = promisify(zlib.gzip) as (body: zlib.InputType, options: zlib.ZlibOptions) => Promise<Buffer>
  return {
    encode: (body) => zlib.gzipSync(body, options),
    encodeLater: (body) => later(body, options),
    stream: (isEvents) => zlib.createGzip(isEvents ? { level, memLevel: 5, windowBits: 13 } : options),
    flushKind: C.Z_SYNC_FLUSH,
  }
}

function brotli(level: number): Codec {
  const later = promisify(zlib.brotliCompress) as (body: zlib.InputType, options: zlib.BrotliOptions) => Promise<Buffer>
  const sized = (lengthBytes: number): zlib.BrotliOptions => ({
    params: { [C.BROTLI_PARAM_QUALITY]: level, [C.BROTLI_PARAM_SIZE_HINT]: lengthBytes },
  })
  return {
    encode: (body, lengthBytes) => zlib.brotliCompressSync(body, sized(lengthBytes)),
    encodeLater: (body, lengthBytes) => later(body, sized(lengthBytes)),
    stream(isEvents) {
      const quality = isEvents ? Math.min(level, 1) : level
      const window = isEvents ? { [C.BROTLI_PARAM_LGWIN]: 16 } : {}
      return zlib.createBrotliCompress({ params: { [C.BROTLI_PARAM_QUALITY]: quality, ...window } })
    },
    flushKind: C.BROTLI_OPERATION_FLUSH,
  }
}

function zstd(level: number): Codec {
  const later = promisify(zlib.zstdCompress) as (body: zlib.InputType, options: zlib.ZstdOptions) => Promise<Buffer>
  const ofLevel = { [C.ZSTD_c_compressionLevel]: level }
  // Otherwise, levels above 19 would use a larger window.
  const large = { params: { ...ofLevel, ...(level > 16 ? MAX_ZSTD_WINDOW : {}) } }
  const small = { params: { ...ofLevel, ...SMALL_ZSTD } }
  const events = { params: { ...ofLevel, ...EVENT_ZSTD } }
  const sized = (lengthBytes: number): zlib.ZstdOptions => (lengthBytes < SMALL_BYTES ? small : large)
  return {
    encode: (body, lengthBytes) => zlib.zstdCompressSync(body, sized(lengthBytes)),
    encodeLater: (body, lengthBytes) => later(body, sized(lengthBytes)),
    stream: (isEvents) => zlib.createZstdCompress(isEvents ? events : large),
    flushKind: C.ZSTD_e_flush,
  }
}
