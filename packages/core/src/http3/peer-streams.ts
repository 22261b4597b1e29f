import { ControlStream } from './control-stream.ts'
import { ErrorCode, Http3Error } from './errors.ts'
import { checkEncoderStream, DecoderStream } from './qpack/streams.ts'
import { readVarint, varintLength } from './varint.ts'

/**
 * Types of unidirectional streams.
 *
 * @see RFC 9114 §6.2, RFC 9204 §4.2
 */
export const StreamType = { CONTROL: 0x00, PUSH: 0x01, QPACK_ENCODER: 0x02, QPACK_DECODER: 0x03 } as const

/** Stream types of which only one stream can exist, and whose closure is a connection error. */
const CRITICAL: ReadonlySet<number> = new Set([StreamType.CONTROL, StreamType.QPACK_ENCODER, StreamType.QPACK_DECODER])

interface PeerStream {
  /** Received bytes of an incomplete stream type. */
  readonly typeBytes: number[]
  type: number | undefined
  take(bytes: Uint8Array): void
}

/** Reads the client's unidirectional streams. */
export class PeerStreams {
  readonly #streams = new Map<number, PeerStream>()
  readonly #seen = new Set<number>()

  /**
   * Reads the next bytes of a stream.
   *
   * @throws {Http3Error} for the connection
   */
  push(streamId: number, bytes: Uint8Array): void {
    const stream = this.#stream(streamId)
    let at = 0
    while (stream.type === undefined && at < bytes.byteLength) {
      stream.typeBytes.push(bytes[at++] ?? 0)
      if (stream.typeBytes.length < varintLength(stream.typeBytes[0] ?? 0)) continue
      stream.type = readVarint(Uint8Array.from(stream.typeBytes), 0)
      stream.take = this.#reader(stream.type)
    }
    if (at < bytes.byteLength) stream.take(bytes.subarray(at))
  }

  /**
   * Handles the end or the reset of a stream.
   *
   * @throws {Http3Error} CLOSED_CRITICAL_STREAM for the connection
   */
  end(streamId: number): void {
    const type = this.#streams.get(streamId)?.type
    this.#streams.delete(streamId)
    if (type !== undefined && CRITICAL.has(type)) {
      throw new Http3Error(ErrorCode.CLOSED_CRITICAL_STREAM, 'A critical stream was closed')
    }
  }

  #stream(streamId: number): PeerStream {
    let stream = this.#streams.get(streamId)
    if (stream === undefined) {
      stream = { typeBytes: [], type: undefined, take: ignore }
      this.#streams.set(streamId, stream)
    }
    return stream
  }

  #reader(type: number): (bytes: Uint8Array) => void {
    if (type === StreamType.PUSH) {
      throw new Http3Error(ErrorCode.STREAM_CREATION_ERROR, 'A client cannot push')
    }
    // §6.2: discard streams of unknown types.
    if (!CRITICAL.has(type)) return ignore
    if (this.#seen.has(type))
      throw new Http3Error(ErrorCode.STREAM_CREATION_ERROR, 'A critical stream was opened twice')
    this.#seen.add(type)
    if (type === StreamType.QPACK_ENCODER) return checkEncoderStream
    const stream = type === StreamType.CONTROL ? new ControlStream() : new DecoderStream()
    return (bytes) => stream.push(bytes)
  }
}

function ignore(): void {}
