import * as zlib from 'node:zlib'
import { HttpError, withCode } from '@fw/options'
import type { BodyDecoder } from '@fw/types'
import type { RequestCoding } from './decompress-options.ts'

/** Size of a decoded piece, in bytes: at most one piece more than the handler has read is in memory. */
const PIECE_BYTES = 64 * 1024
/**
 * Decoded bytes to which `maxRatio` does not apply. A short body of repeated text has a large ratio, but does no harm.
 */
const GRACE_BYTES = 1024 * 1024
/** RFC 9659: a decoder of the `zstd` coding need not support windows above 8 MiB. */
const MAX_ZSTD_WINDOW_LOG = 23

type Decompressor = ReturnType<(typeof OPEN)[RequestCoding]>

const OPEN = {
  gzip: () => zlib.createGunzip({ chunkSize: PIECE_BYTES }),
  br: () => zlib.createBrotliDecompress({ chunkSize: PIECE_BYTES }),
  zstd: () =>
    zlib.createZstdDecompress({
      chunkSize: PIECE_BYTES,
      params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG },
    }),
  deflate: () => zlib.createInflate({ chunkSize: PIECE_BYTES }),
}

/**
 * Returns the decoder for a coding.
 *
 * Accepts a body of several gzip members or zstd frames, which both formats define (RFC 1952 §2.2, RFC 8878 §3).
 *
 * @throws {HttpError} 400 if the body is malformed, incomplete or has trailing bytes, 413 if it exceeds the ratio
 */
export function decoderOf(coding: RequestCoding, maxRatio: number): BodyDecoder {
  return async function* decode(encoded) {
    const stream = OPEN[coding]()
    const feeder = new Feeder(stream)
    const feeding = feeder.feed(encoded)
    try {
      let size = 0
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        size += piece.byteLength
        if (size > GRACE_BYTES && size > stream.bytesWritten * maxRatio) throw expands(maxRatio)
        yield piece
      }
    } catch (error) {
      throw isCodingError(error) ? malformed(coding, error) : error
    } finally {
      stream.destroy()
    }
    await feeding
    // The stream ends without an error at the first byte that does not belong to the coding.
    if (!feeder.isComplete || stream.bytesWritten < feeder.fedBytes) throw trailing(coding)
  }
}

/** Writes the encoded body into a stream, with backpressure. */
class Feeder {
  /** Number of bytes that were written. */
  fedBytes = 0
  /** Whether the whole body was written. */
  isComplete = false
  readonly #stream: Decompressor
  #wake: (() => void) | undefined = undefined

  constructor(stream: Decompressor) {
    this.#stream = stream
    for (const event of ['drain', 'close']) stream.on(event, () => this.#wake?.())
  }

  /** Writes the body, then ends the stream. An error of the body destroys the stream. Never rejects. */
  async feed(encoded: AsyncIterable<Uint8Array>): Promise<void> {
    const stream = this.#stream
    try {
      for await (const chunk of encoded) {
        if (stream.destroyed) return
        this.fedBytes += chunk.byteLength
        if (!stream.write(chunk)) await new Promise<void>((resolve) => (this.#wake = resolve))
      }
      if (stream.destroyed) return
      this.isComplete = true
      stream.end()
    } catch (error) {
      stream.destroy(error as Error)
    }
  }
}

/** Reports whether the coding caused an error. Errors of the body, and a lack of memory, are passed on. */
function isCodingError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('errno' in error) || !('code' in error)) return false
  return !/MEM|memory|ALLOC/.test(String(error.code))
}

function malformed(coding: RequestCoding, cause: NodeJS.ErrnoException): HttpError {
  const message = cause.code === 'Z_BUF_ERROR' ? `The ${coding} body is incomplete` : `The body is not valid ${coding}`
  return withCode('FW_MALFORMED_BODY', Object.assign(new HttpError(400, message), { cause }))
}

function trailing(coding: RequestCoding): HttpError {
  return withCode('FW_MALFORMED_BODY', new HttpError(400, `The body has bytes after the end of its ${coding} data`))
}

function expands(maxRatio: number): HttpError {
  return withCode('FW_BODY_TOO_LARGE', new HttpError(413, `The body expands to more than ${maxRatio} times its length`))
}
