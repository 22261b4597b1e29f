import type { FieldList } from '@fw/types'
import { isFieldValue, isToken } from '../engine/fields.ts'
import type { Limits } from '../limits.ts'
import { ProtocolError } from '../engine/protocol-error.ts'
import { trimOws } from './request-headers.ts'

/** What `ChunkedDecoder` needs of `Limits`. */
export type ChunkedLimits = Pick<
  Limits,
  'maxChunkExtensionBytes' | 'maxChunkExtensionsTotalBytes' | 'maxTrailerBytes' | 'maxTrailerFields'
>

/** Hex digits in a chunk size; 13 digits stay below `Number.MAX_SAFE_INTEGER`. */
const SIZE_DIGITS = 13

/** Chunks up to this many octets are moved together; larger ones are passed on where they are. */
const MOVED_BYTES = 512

const HTAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SEMICOLON = 0x3b

/** What may follow a chunk size (RFC 9112 §7.1.1), without the white space that senders must not generate. */
const EXTENSIONS = /^(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[^"\\]|\\.)*"))?)+$/

/** Fields that say how a message is framed, routed or authenticated, which a trailer must not (RFC 9110 §6.5.1). */
const NOT_IN_TRAILER: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

type State = 'size' | 'extension' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'trailer' | 'end-lf' | 'done'

/**
 * Decodes a chunked body from slices of the input, wherever the slices are cut.
 *
 * Only CRLF ends a line. Extensions are skipped; trailer fields are kept.
 *
 * @see RFC 9112 §7.1 (chunked transfer coding), RFC 9110 §6.5 (trailer fields)
 */
export class ChunkedDecoder {
  readonly #limits: ChunkedLimits
  #state: State = 'size'
  #size = 0
  #digits = 0
  #extensionBytes = 0
  #trailerBytes = 0
  #line = ''
  #trailers: string[] = []

  constructor(limits: ChunkedLimits) {
    this.#limits = limits
  }

  /** Whether the last chunk and the trailer section have been read. */
  get done(): boolean {
    return this.#state === 'done'
  }

  /** The trailer fields, complete when `done`. */
  get trailers(): FieldList {
    return this.#trailers
  }

  /**
   * Feeds one slice. Body octets are passed on as views of it; small chunks are moved together within it, so that a
   * client which sends an octet a chunk does not make a piece of each.
   *
   * @param input Is this decoder's from now on, as far as the body goes
   * @returns How many octets of `input` belong to the body; fewer than all only when `done`
   * @throws {ProtocolError} 400 if the coding is malformed, 413 or 431 if its overhead is over a limit; what came before has
   *   been passed on
   */
  decode(input: Uint8Array, onData: (data: Uint8Array) => void): number {
    let i = 0
    // What is to be passed on next.
    let start = 0
    let end = 0
    try {
      while (i < input.length && this.#state !== 'done') {
        if (this.#state !== 'data') {
          i = this.#skipPlainSize(input, i) ?? this.#step(input, i)
          continue
        }
        const length = Math.min(this.#size, input.length - i)
        if (end === start) [start, end] = [i, i + length]
        else if (length <= MOVED_BYTES) end = move(input, i, end, length)
        else {
          onData(input.subarray(start, end))
          ;[start, end] = [i, i + length]
        }
        i += length
        this.#size -= length
        if (this.#size === 0) this.#state = 'data-cr'
      }
    } finally {
      if (end > start) onData(input.subarray(start, end))
    }
    return i
  }

  /**
   * The end of a chunk and the size of the next one, if they are here as a whole and say nothing else: what nearly all
   * chunks look like.
   *
   * @returns Where the data begins
   */
  #skipPlainSize(input: Uint8Array, from: number): number | undefined {
    let at = from
    if (this.#state === 'data-cr') {
      if (input[at] !== CR || input[at + 1] !== LF) return undefined
      at += 2
    } else if (this.#state !== 'size' || this.#digits > 0) return undefined
    const firstDigit = at
    let size = 0
    for (let digit = 0; (digit = hexDigit(input[at])) >= 0; at++) size = size * 16 + digit
    if (at === firstDigit || at - firstDigit > SIZE_DIGITS || size === 0) return undefined
    if (input[at] !== CR || input[at + 1] !== LF) return undefined
    this.#size = size
    this.#state = 'data'
    return at + 2
  }

  /** @returns Where to go on */
  #step(input: Uint8Array, at: number): number {
    this.#read(input[at] ?? 0)
    return at + 1
  }

  #read(byte: number): void {
    switch (this.#state) {
      case 'size':
        return this.#readSize(byte)
      case 'extension':
        return this.#skipExtension(byte)
      case 'size-lf':
        expectByte(byte, LF)
        this.#state = this.#size > 0 ? 'data' : 'trailer'
        return
      case 'data-cr':
        expectByte(byte, CR)
        this.#state = 'data-lf'
        return
      case 'data-lf':
        expectByte(byte, LF)
        this.#state = 'size'
        this.#digits = 0
        return
      case 'trailer':
        return this.#readTrailer(byte)
      case 'end-lf':
        expectByte(byte, LF)
        this.#endTrailerLine()
        return
      case 'data':
      case 'done':
        throw new Error('Chunked decoder stepped where it has nothing to read')
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      if (++this.#digits > SIZE_DIGITS) throw new ProtocolError(400, 'Chunk size too large')
      this.#size = this.#size * 16 + digit
    } else if (this.#digits === 0) {
      throw new ProtocolError(400, 'Chunk size missing')
    } else if (byte === SEMICOLON) {
      this.#line = ''
      this.#state = 'extension'
      this.#countExtension(byte)
    } else {
      expectByte(byte, CR)
      this.#state = 'size-lf'
    }
  }

  #skipExtension(byte: number): void {
    if (byte === CR) {
      if (!EXTENSIONS.test(this.#line)) throw new ProtocolError(400, 'Malformed chunk extension')
      this.#line = ''
      this.#state = 'size-lf'
      return
    }
    if (isControl(byte)) throw new ProtocolError(400, 'Malformed chunk extension')
    this.#countExtension(byte)
  }

  #countExtension(byte: number): void {
    this.#line += String.fromCharCode(byte)
    if (this.#line.length > this.#limits.maxChunkExtensionBytes) {
      throw new ProtocolError(400, 'Chunk extension too long')
    }
    if (++this.#extensionBytes > this.#limits.maxChunkExtensionsTotalBytes) {
      throw new ProtocolError(413, 'Too many chunk extensions')
    }
  }

  #readTrailer(byte: number): void {
    if (byte === CR) {
      this.#state = 'end-lf'
      return
    }
    if (isControl(byte)) throw new ProtocolError(400, 'Malformed trailer section')
    if (++this.#trailerBytes > this.#limits.maxTrailerBytes) throw new ProtocolError(431, 'Trailer section too large')
    this.#line += String.fromCharCode(byte)
  }

  #endTrailerLine(): void {
    const line = this.#line
    if (line === '') {
      this.#state = 'done'
      return
    }
    this.#line = ''
    this.#state = 'trailer'
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = trimOws(line.slice(colon + 1))
    if (colon < 1 || !isToken(name) || !isFieldValue(value)) throw new ProtocolError(400, 'Malformed trailer field')
    if (NOT_IN_TRAILER.has(name)) return
    if (this.#trailers.length >= this.#limits.maxTrailerFields * 2)
      throw new ProtocolError(431, 'Too many trailer fields')
    this.#trailers.push(name, value)
  }
}

/** Moves octets towards the beginning; returns where they end. */
function move(octets: Uint8Array, from: number, to: number, length: number): number {
  for (let i = 0; i < length; i++) octets[to + i] = octets[from + i] ?? 0
  return to + length
}

/** Value of an ASCII hex digit, or -1. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1
}

function isControl(byte: number): boolean {
  return (byte < 0x20 && byte !== HTAB) || byte === 0x7f
}

function expectByte(byte: number, wanted: number): void {
  if (byte !== wanted) throw new ProtocolError(400, 'Malformed chunk')
}
