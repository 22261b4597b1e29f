import type { FieldList } from '@fw/types'
import { ProtocolError } from '../engine/errors.ts'
import { MAX_CONTENT_LENGTH } from '../engine/semantics/content-length.ts'
import type { Limits } from '../options/limits.ts'
import { ChunkExtensionReader } from './chunk-extension.ts'
import { CR, hexDigit, LF, SEMICOLON } from './bytes.ts'
import { TrailerSection } from './trailer-section.ts'

/** The limits of a chunked body. */
export type ChunkedLimits = Pick<
  Limits,
  'maxChunkExtensionBytes' | 'maxChunkExtensionsTotalBytes' | 'maxTrailerBytes' | 'maxTrailerFields'
>

/** Receives the body bytes from `start` to `end` in `bytes`. */
export type OnBodyBytes = (bytes: Uint8Array, start: number, end: number) => void

/**
 * Number of hex digits of a chunk size that do not count as overhead. Some clients pad every size to 64 bits. Further
 * leading zeros count as extension bytes, because they carry no information.
 */
const FREE_DIGITS = 16

/** Maximum size, in bytes, of a chunk that is moved next to the previous one. Larger chunks are passed on in place. */
const MOVED_BYTES = 512

/**
 * Approximate maximum number of framing bytes to read in one call, which takes tens of microseconds. With 100-byte
 * chunks, a 64 KiB read contains fewer framing bytes than this.
 */
// docs/decisions/0006
const FRAMING_BYTES_AT_ONCE = 4 * 1024

// States. Each names the part of the body to which the next byte belongs.
const SIZE = 0
const EXTENSION = 1
const SIZE_LF = 2
const DATA = 3
const DATA_CR = 4
const DATA_LF = 5
const TRAILER = 6
const NOTHING = 7

/**
 * Decodes a chunked body from input that can be split anywhere.
 *
 * Accepts only CRLF as a line end. Skips chunk extensions and collects trailer fields.
 *
 * @see RFC 9112 §7.1 (chunked transfer coding)
 */
export class ChunkedDecoder {
  readonly #extension: ChunkExtensionReader
  readonly #trailer: TrailerSection
  #state = SIZE
  /** Remaining bytes of the current chunk. */
  #size = 0
  #digits = 0

  constructor(limits: ChunkedLimits) {
    this.#extension = new ChunkExtensionReader(limits)
    this.#trailer = new TrailerSection(limits)
  }

  /** Whether the last chunk and the trailer section have been read. */
  get done(): boolean {
    return this.#state === NOTHING
  }

  /** The trailer fields, complete when `done`. */
  get trailers(): FieldList {
    return this.#trailer.fields
  }

  /**
   * Decodes one slice and passes ranges of it to `onData`. Moves small chunks next to each other within the slice, so
   * that one-byte chunks do not become one-byte pieces.
   *
   * @param input The decoder can overwrite it, up to the end of the body
   * @returns The number of bytes read. It can be less than the slice length when `done`, or after many framing bytes,
   * when other connections should have their turn
   * @throws {ProtocolError} 400 if the coding is malformed, 413 or 431 if its overhead exceeds a limit. Earlier body
   *   bytes have been passed on
   */
  decode(input: Uint8Array, onData: OnBodyBytes): number {
    let i = 0
    let bodyBytes = 0
    // Range of body bytes that have not been passed on yet.
    let start = 0
    let end = 0
    try {
      while (i < input.length && i - bodyBytes < FRAMING_BYTES_AT_ONCE && this.#state !== NOTHING) {
        if (this.#state !== DATA) {
          i = this.#readFraming(input, i)
          continue
        }
        const length = Math.min(this.#size, input.length - i)
        if (end === start) [start, end] = [i, i + length]
        else if (length <= MOVED_BYTES) end = move(input, i, end, length)
        else {
          onData(input, start, end)
          ;[start, end] = [i, i + length]
        }
        i += length
        bodyBytes += length
        this.#size -= length
        if (this.#size === 0) this.#state = DATA_CR
      }
    } finally {
      if (end > start) onData(input, start, end)
    }
    return i
  }

  /** Reads one part of the framing. @returns The index of the next unread byte */
  #readFraming(input: Uint8Array, from: number): number {
    switch (this.#state) {
      case DATA_CR:
        return this.#endData(input, from)
      case DATA_LF:
        return this.#endDataLine(input, from)
      case SIZE:
        return this.#readSize(input, from)
      case EXTENSION:
        return this.#skipExtension(input, from)
      case SIZE_LF:
        return this.#endSizeLine(input, from)
      default:
        return this.#readTrailer(input, from)
    }
  }

  #endData(input: Uint8Array, at: number): number {
    expectByte(input[at], CR)
    this.#state = DATA_LF
    return at + 1 < input.length ? this.#endDataLine(input, at + 1) : at + 1
  }

  #endDataLine(input: Uint8Array, at: number): number {
    expectByte(input[at], LF)
    this.#state = SIZE
    this.#digits = 0
    this.#extension.nextChunk()
    return this.#readSize(input, at + 1)
  }

  #readSize(input: Uint8Array, from: number): number {
    let at = from
    let size = this.#size
    for (let digit = 0; (digit = hexDigit(input[at])) >= 0; at++) size = size * 16 + digit
    // A size above 2^53 loses precision but stays above 2^53. With many digits, it becomes `Infinity`.
    if (size > MAX_CONTENT_LENGTH) throw new ProtocolError(400, 'Chunk size too large')
    this.#size = size
    const digits = this.#digits + at - from
    if (digits > FREE_DIGITS) this.#extension.addPadding(digits - Math.max(this.#digits, FREE_DIGITS))
    this.#digits = digits
    if (at === input.length) return at
    if (this.#digits === 0) throw new ProtocolError(400, 'Chunk size missing')
    if (input[at] === SEMICOLON) {
      this.#state = EXTENSION
      this.#extension.begin()
      return this.#skipExtension(input, at + 1)
    }
    return this.#endSize(input, at)
  }

  #skipExtension(input: Uint8Array, from: number): number {
    const at = this.#extension.skip(input, from)
    return at < input.length ? this.#endSize(input, at) : at
  }

  #endSize(input: Uint8Array, at: number): number {
    expectByte(input[at], CR)
    this.#state = SIZE_LF
    return at + 1 < input.length ? this.#endSizeLine(input, at + 1) : at + 1
  }

  #endSizeLine(input: Uint8Array, at: number): number {
    expectByte(input[at], LF)
    this.#state = this.#size > 0 ? DATA : TRAILER
    return at + 1
  }

  #readTrailer(input: Uint8Array, from: number): number {
    const at = this.#trailer.read(input, from)
    if (this.#trailer.isDone) this.#state = NOTHING
    return at
  }
}

/** Moves bytes toward the start of the buffer. Returns the index after the last moved byte. */
function move(bytes: Uint8Array, from: number, to: number, length: number): number {
  for (let i = 0; i < length; i++) bytes[to + i] = bytes[from + i] ?? 0
  return to + length
}

function expectByte(byte: number | undefined, wanted: number): void {
  if (byte !== wanted) throw new ProtocolError(400, 'Malformed chunk')
}
