import * as zlib from 'node:zlib'
import { HttpError, withCode } from '@fw/options'
import type { BodyDecoder } from '@fw/types'
import type { RequestCoding } from './decompress-options.ts'
import { ZstdFrames } from './zstd-frames.ts'

/** Size of a decoded piece, in bytes: at most one piece more than the handler has read is in memory. */
const PIECE_BYTES = 64 * 1024
/**
 * Decoded bytes to which `maxRatio` does not apply. A short body of repeated text has a large ratio, but does no harm.
 */
const GRACE_BYTES = 1024 * 1024
/**
 * Maximum number of streams for the zstd frames of one body. Node.js 26 decodes all frames with one stream. Node.js 24 needs
 * one for each frame that follows another in a chunk, which takes about 0.1 ms.
 */
const MAX_FRAMES = 64
/**
 * RFC 9659: a decoder of the `zstd` coding need not support windows above 8 MiB, but all smaller ones. Encoders of streams use
 * them even for short bodies, so a smaller `maxBodyBytes` must not lower this.
 */
const MAX_ZSTD_WINDOW_LOG = 23
/** Largest window of each coding, in bytes. A window fills as bytes are decoded. */
const MAX_WINDOW_BYTES: Readonly<Record<RequestCoding, number>> = {
  gzip: 32 * 1024,
  deflate: 32 * 1024,
  br: 16 * 1024 * 1024,
  zstd: 2 ** MAX_ZSTD_WINDOW_LOG,
}

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
  const maxWindowBytes = MAX_WINDOW_BYTES[coding]
  return async function* decode(encoded, memory) {
    const frameEnds = coding === 'zstd' ? new ZstdFrames() : undefined
    const feeder = new Feeder(encoded, frameEnds)
    let size = 0
    memory.set(PIECE_BYTES)
    for (let frames = 1; frames <= MAX_FRAMES; frames++) {
      const stream = OPEN[coding]()
      const before = feeder.consumedBytes
      const feeding = feeder.feed(stream)
      try {
        for await (const piece of stream as AsyncIterable<Uint8Array>) {
          size += piece.byteLength
          memory.set(PIECE_BYTES + Math.min(size, maxWindowBytes))
          if (size > GRACE_BYTES && size > (before + stream.bytesWritten) * maxRatio) throw expands(maxRatio)
          yield piece
        }
      } catch (error) {
        throw isCodingError(error) ? malformed(coding, error) : error
      } finally {
        stream.destroy()
      }
      await feeding
      // The stream ends without an error at the first byte that does not belong to its data.
      if (feeder.isComplete && feeder.waitingBytes === 0) {
        if (frameEnds?.isComplete === false) throw incomplete(coding)
        if (frameEnds?.allows(size) === false) throw malformed(coding)
        return
      }
      if (coding !== 'zstd') break
    }
    throw trailing(coding)
  }
}

/**
 * Writes an encoded body into one stream after another. Requests a chunk only when the stream has decoded the previous one, so that
 * a decoder that waits for bytes has nothing left to decode. Keeps the bytes that a stream did not read.
 */
class Feeder {
  /** Whether the whole body was received. */
  isComplete = false
  /** Number of bytes that the streams have read. */
  consumedBytes = 0
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #frameEnds: ZstdFrames | undefined
  /** The chunks that the current stream has not read completely. */
  #waiting: Uint8Array[] = []

  constructor(encoded: AsyncIterable<Uint8Array>, frameEnds: ZstdFrames | undefined) {
    this.#frameEnds = frameEnds
    this.#chunks = encoded[Symbol.asyncIterator]()
  }

  /** Number of bytes that no stream has read. */
  get waitingBytes(): number {
    return this.#waiting.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  }

  /**
   * Writes the rest of the body, and ends the stream with it. Returns early if the stream ends itself. An error of the
   * body destroys the stream. Never rejects.
   */
  async feed(stream: Decompressor): Promise<void> {
    let wake: (() => void) | undefined
    stream.on('close', () => wake?.())
    const write = (chunk: Uint8Array): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve
        stream.write(chunk, () => resolve())
      })
    let readBytes = 0
    const release = (): void => {
      let bytes = stream.bytesWritten - readBytes
      readBytes += bytes
      this.consumedBytes += bytes
      while (bytes > 0) {
        const chunk = this.#waiting.shift()
        if (chunk === undefined) break
        if (chunk.byteLength > bytes) this.#waiting.unshift(chunk.subarray(bytes))
        bytes -= chunk.byteLength
      }
    }
    try {
      const [...left] = this.#waiting
      for (const chunk of left) {
        if (stream.destroyed) break
        await write(chunk)
      }
      release()
      // A stream that does not read everything has ended itself.
      if (this.waitingBytes > 0) return
      while (!this.isComplete && !stream.destroyed) {
        const { done, value } = await this.#chunks.next()
        if (done === true) this.isComplete = true
        else {
          this.#waiting.push(value)
          this.#frameEnds?.push(value)
          if (!stream.destroyed) await write(value)
          release()
          if (this.waitingBytes > 0) return
        }
      }
      if (!stream.destroyed) {
        stream.end()
        await new Promise<void>((resolve) => (wake = resolve))
      }
      release()
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

function malformed(coding: RequestCoding, cause?: NodeJS.ErrnoException): HttpError {
  if (cause?.code === 'Z_BUF_ERROR') return Object.assign(incomplete(coding), { cause })
  const error = withCode('FW_MALFORMED_BODY', new HttpError(400, `The body is not valid ${coding}`))
  return cause === undefined ? error : Object.assign(error, { cause })
}

function incomplete(coding: RequestCoding): HttpError {
  return withCode('FW_MALFORMED_BODY', new HttpError(400, `The ${coding} body is incomplete`))
}

function trailing(coding: RequestCoding): HttpError {
  return withCode('FW_MALFORMED_BODY', new HttpError(400, `The body has bytes after the end of its ${coding} data`))
}

function expands(maxRatio: number): HttpError {
  return withCode('FW_BODY_TOO_LARGE', new HttpError(413, `The body expands to more than ${maxRatio} times its length`))
}
