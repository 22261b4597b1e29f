import type { FieldList } from '@fw/types'
import type { Limits } from '../options/limits.ts'
import { ProtocolError } from '../engine/errors.ts'
import { ErrorCode, Http3Error } from './errors.ts'
import { FrameReader, FrameType, isHttp2FrameType, type FrameHandler, type FrameTrace } from './frames.ts'
import { decodeFieldSection } from './qpack/decoder.ts'
import { readRequestHead, readTrailers, type RequestHead } from './request-head.ts'

/** Receives the parts of a request. The methods are called in this order. */
export interface RequestParts {
  onHead(head: RequestHead): void
  /** Receives the next content bytes. Never empty; valid during the call. */
  onBody(slice: Uint8Array): void
}

/** Frame types on the control stream (RFC 9114 §7.2), and PUSH_PROMISE, which a client must not send. */
const NOT_IN_REQUESTS: ReadonlySet<number> = new Set([
  FrameType.CANCEL_PUSH,
  FrameType.SETTINGS,
  FrameType.PUSH_PROMISE,
  FrameType.GOAWAY,
  FrameType.MAX_PUSH_ID,
])

/**
 * Reads a request from its stream: HEADERS, then DATA, then optionally HEADERS with trailers. Frames of unknown types
 * can come between them. Calls to `push` can split frames anywhere.
 *
 * @see RFC 9114 §4.1
 */
export class RequestReader implements FrameHandler {
  readonly #limits: Limits
  readonly #parts: RequestParts
  readonly #allowsTunnels: boolean
  readonly #trace: FrameTrace | undefined
  readonly #frames = new FrameReader(this)
  #head: RequestHead | undefined = undefined
  /** Received fields of the head, for the report on a refused request. */
  #section: FieldList = []
  #trailers: FieldList | undefined = undefined
  #hasBegun = false
  #received = 0

  /**
   * Creates the reader for one request.
   *
   * @param trace Called for each frame before it is checked
   * @param allowsTunnels Whether the server has announced extended CONNECT
   */
  constructor(limits: Limits, parts: RequestParts, trace?: FrameTrace, allowsTunnels: boolean = false) {
    this.#limits = limits
    this.#allowsTunnels = allowsTunnels
    this.#parts = parts
    this.#trace = trace
  }

  /** Whether the head has begun to arrive but is not complete. */
  get isWithinHead(): boolean {
    return this.#hasBegun && this.#head === undefined
  }

  /** Method and target, if they were decoded. */
  get requestLine(): { readonly method: string | undefined; readonly target: string | undefined } {
    return { method: pseudoField(this.#section, ':method'), target: pseudoField(this.#section, ':path') }
  }

  /**
   * Reads the next bytes.
   *
   * @throws {Http3Error} for the stream or the connection
   * @throws {ProtocolError} if the request exceeds a limit
   */
  push(bytes: Uint8Array): void {
    this.#frames.push(bytes)
  }

  /**
   * Handles the end of the stream.
   *
   * @returns The trailers; empty if there are none
   * @throws {Http3Error} if the request is incomplete
   */
  end(): FieldList {
    // RFC 9114 §7.1: a truncated frame is a connection error.
    if (!this.#frames.isBetweenFrames) throw new Http3Error(ErrorCode.FRAME_ERROR, 'A frame is truncated')
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
      // RFC 9114 §4.4: in a tunnel, any other known frame is a connection error.
      if (this.#trailers !== undefined || this.#head?.protocol !== undefined) throw unexpected('HEADERS')
      this.#hasBegun = true
      // The limit applies to decoded bytes, which encoding can only shrink. A larger frame therefore exceeds the limit.
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
    this.#head = readRequestHead(section, this.#limits, this.#allowsTunnels)
    this.#parts.onHead(this.#head)
  }

  onSlice(slice: Uint8Array): void {
    this.#received += slice.byteLength
    const announced = this.#head?.contentLength
    if (announced !== undefined && this.#received > announced) throw contentLengthError(this.#received, announced)
    this.#parts.onBody(slice)
  }

  #sectionLimits(): { maxBytes: number; maxFields: number } {
    const { maxHeadBytes, maxTrailerBytes, maxTrailerFields } = this.#limits
    // `judgeRequestHead` counts the fields of a head, because pseudo-header fields and parts of a cookie do not count.
    if (this.#head === undefined) return { maxBytes: maxHeadBytes, maxFields: Infinity }
    return { maxBytes: maxTrailerBytes, maxFields: maxTrailerFields }
  }
}

function pseudoField(section: FieldList, name: string): string | undefined {
  for (let i = 0; i < section.length && section[i]?.startsWith(':'); i += 2)
    if (section[i] === name) return section[i + 1]
  return undefined
}

function contentLengthError(received: number, announced: number): Http3Error {
  const message = `Malformed request: received ${received} bytes of content, Content-Length is ${announced}`
  return new Http3Error(ErrorCode.MESSAGE_ERROR, message, 'stream')
}

function unexpected(what: string): Http3Error {
  return new Http3Error(ErrorCode.FRAME_UNEXPECTED, `Unexpected frame in a request: ${what}`)
}
