import type { FieldList } from '@fw/types'
import type { Limits } from '../options/limits.ts'
import { ProtocolError } from '../engine/errors.ts'
import { ErrorCode, Http3Error } from './errors.ts'
import { FrameReader, FrameType, isHttp2FrameType, type FrameHandler, type FrameTrace } from './frames.ts'
import { decodeFieldSection } from './qpack/decoder.ts'
import { readRequestHead, readTrailers, type RequestHead } from './request-head.ts'

/** What a `RequestReader` finds, in this order. */
export interface RequestParts {
  onHead(head: RequestHead): void
  /** Content, never empty; valid during the call. */
  onBody(slice: Uint8Array): void
}

/** Frames that belong to the control stream (RFC 9114 §7.2), and the push that a client cannot promise. */
const NOT_IN_REQUESTS: ReadonlySet<number> = new Set([
  FrameType.CANCEL_PUSH,
  FrameType.SETTINGS,
  FrameType.PUSH_PROMISE,
  FrameType.GOAWAY,
  FrameType.MAX_PUSH_ID,
])

/**
 * Reads a request from the bytes of its stream, however they are cut: HEADERS, then DATA, then perhaps HEADERS with
 * the trailers, and frames of unknown types anywhere.
 *
 * @see RFC 9114 §4.1
 */
export class RequestReader implements FrameHandler {
  readonly #limits: Limits
  readonly #parts: RequestParts
  readonly #trace: FrameTrace | undefined
  readonly #frames = new FrameReader(this)
  #head: RequestHead | undefined = undefined
  /** The fields of the head as they were sent, for whoever wants to know what was refused. */
  #section: FieldList = []
  #trailers: FieldList | undefined = undefined
  #hasBegun = false
  #received = 0

  /** @param trace Told of each frame, before it is judged */
  constructor(limits: Limits, parts: RequestParts, trace?: FrameTrace) {
    this.#limits = limits
    this.#parts = parts
    this.#trace = trace
  }

  /** Whether a head has begun that is not complete. */
  get isWithinHead(): boolean {
    return this.#hasBegun && this.#head === undefined
  }

  /** Method and target as far as they were understood. */
  get requestLine(): { readonly method: string | undefined; readonly target: string | undefined } {
    return { method: pseudoField(this.#section, ':method'), target: pseudoField(this.#section, ':path') }
  }

  /**
   * @throws {Http3Error} for the stream or the connection
   * @throws {ProtocolError} for a request that goes beyond a limit
   */
  push(bytes: Uint8Array): void {
    this.#frames.push(bytes)
  }

  /**
   * The stream has ended.
   *
   * @returns The trailers, empty without any
   * @throws {Http3Error} if the request is not complete
   */
  end(): FieldList {
    // RFC 9114 §7.1: a frame cut short is an error of the connection.
    if (!this.#frames.isBetweenFrames) throw new Http3Error(ErrorCode.FRAME_ERROR, 'A frame breaks off')
    if (this.#head === undefined) {
      throw new Http3Error(ErrorCode.REQUEST_INCOMPLETE, 'The request ends before its head', 'stream')
    }
    const announced = this.#head.contentLength
    if (announced !== undefined && announced !== this.#received) throw contentLengthError(this.#received, announced)
    return this.#trailers ?? []
  }

  onFrame(type: number, length: number): 'whole' | 'slices' | 'skip' {
    this.#trace?.(type, length)
    if (type === FrameType.DATA) {
      if (this.#head === undefined || this.#trailers !== undefined) throw unexpected('DATA')
      return 'slices'
    }
    if (type === FrameType.HEADERS) {
      if (this.#trailers !== undefined) throw unexpected('HEADERS')
      this.#hasBegun = true
      // Compression can only shrink what is counted, so a larger frame has too large fields.
      if (length > this.#sectionLimits().maxBytes) throw new ProtocolError(431, 'Fields too large', 'stream')
      return 'whole'
    }
    if (NOT_IN_REQUESTS.has(type) || isHttp2FrameType(type)) throw unexpected(`type 0x${type.toString(16)}`)
    return 'skip'
  }

  onPayload(_type: number, payload: Uint8Array): void {
    const section = decodeFieldSection(payload, this.#sectionLimits())
    if (this.#head !== undefined) {
      this.#trailers = readTrailers(section)
      return
    }
    this.#section = section
    this.#head = readRequestHead(section, this.#limits.maxRequestLineBytes)
    this.#parts.onHead(this.#head)
  }

  onSlice(slice: Uint8Array): void {
    this.#received += slice.byteLength
    const announced = this.#head?.contentLength
    if (announced !== undefined && this.#received > announced) throw contentLengthError(this.#received, announced)
    this.#parts.onBody(slice)
  }

  #sectionLimits(): { maxBytes: number; maxFields: number } {
    const { maxHeadBytes, maxFields, maxTrailerBytes, maxTrailerFields } = this.#limits
    if (this.#head === undefined) return { maxBytes: maxHeadBytes, maxFields: maxFields + PSEUDO_FIELDS }
    return { maxBytes: maxTrailerBytes, maxFields: maxTrailerFields }
  }
}

/** Pseudo-header fields of a request, which are not counted as fields. */
const PSEUDO_FIELDS = 4

function pseudoField(section: FieldList, name: string): string | undefined {
  for (let i = 0; i < section.length && section[i]?.startsWith(':'); i += 2)
    if (section[i] === name) return section[i + 1]
  return undefined
}

function contentLengthError(received: number, announced: number): Http3Error {
  const message = `Malformed request: ${received} bytes of content, ${announced} announced`
  return new Http3Error(ErrorCode.MESSAGE_ERROR, message, 'stream')
}

function unexpected(what: string): Http3Error {
  return new Http3Error(ErrorCode.FRAME_UNEXPECTED, `A frame out of place in a request: ${what}`)
}
