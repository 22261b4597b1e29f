import type { FieldList } from '@fw/types'
import { ProtocolError } from '../engine/errors.ts'
import type { Limits } from '../options/limits.ts'
import { ChunkExtensionReader } from './chunk-extension.ts'
import { CR, hexDigit, LF, SEMICOLON } from './bytes.ts'
import { TrailerSection } from './trailer-section.ts'

/** What `ChunkedDecoder` needs of `Limits`. */
export type ChunkedLimits = Pick<
  Limits,
  'maxChunkExtensionBytes' | 'maxChunkExtensionsTotalBytes' | 'maxTrailerBytes' | 'maxTrailerFields'
>

/** Takes body bytes: those of `bytes` from `start` to `end`. */
export type OnBodyBytes = (bytes: Uint8Array, start: number, end: number) => void

/** Hex digits in a chunk size; 13 digits stay below `Number.MAX_SAFE_INTEGER`. */
const SIZE_DIGITS = 13

/** Chunks up to this many bytes are moved together; larger ones are passed on where they are. */
const MOVED_BYTES = 512

/**
 * Bytes that are not of the body itself and are read at once, roughly: some tens of microseconds of work. A client that
 * sends its body in chunks of 100 bytes has fewer in the 64 KiB that are received at once.
 */
// docs/decisions/0006
const FRAMING_BYTES_AT_ONCE = 4 * 1024

/** What is to be read next. */
const SIZE = 0
const EXTENSION = 1
const SIZE_LF = 2
const DATA = 3
const DATA_CR = 4
const DATA_LF = 5
const TRAILER = 6
const NOTHING = 7

/**
 * Decodes a chunked body from slices of the input, wherever the slices are cut.
 *
 * Only CRLF ends a line. Extensions are passed over; trailer fields are kept.
 *
 * @see RFC 9112 §7.1 (chunked transfer coding)
 */
export class ChunkedDecoder {
  readonly #extension: ChunkExtensionReader
  readonly #trailer: TrailerSection
  #state = SIZE
  /** Bytes of the chunk that are still to come. */
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
   * Feeds one slice. Body bytes are passed on by where they are in it; small chunks are moved together within it, so that a
   * client which sends a byte a chunk does not make a piece of each.
   *
   * @param input Is this decoder's from now on, as far as the body goes
   * @returns How many bytes of `input` were read; fewer than all when `done`, and after so much framing that others should
   *   have a turn before the rest is fed
   * @throws {ProtocolError} 400 if the coding is malformed, 413 or 431 if its overhead is over a limit; what came before has
   *   been passed on
   */
  decode(input: Uint8Array, onData: OnBodyBytes): number {
    let i = 0
    let bodyBytes = 0
    // What is to be passed on next.
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

  /** @returns Where to go on */
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
    return this.#readSize(input, at + 1)
  }

  #readSize(input: Uint8Array, from: number): number {
    let at = from
    let size = this.#size
    for (let digit = 0; (digit = hexDigit(input[at])) >= 0; at++) size = size * 16 + digit
    this.#digits += at - from
    // What is received at once may make the size infinite, no more.
    if (this.#digits > SIZE_DIGITS) throw new ProtocolError(400, 'Chunk size too large')
    this.#size = size
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

/** Moves bytes towards the beginning; returns where they end. */
function move(bytes: Uint8Array, from: number, to: number, length: number): number {
  for (let i = 0; i < length; i++) bytes[to + i] = bytes[from + i] ?? 0
  return to + length
}

function expectByte(byte: number | undefined, wanted: number): void {
  if (byte !== wanted) throw new ProtocolError(400, 'Malformed chunk')
}
