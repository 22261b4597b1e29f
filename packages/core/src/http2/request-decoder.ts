import type { Limits } from '../options/limits.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { HpackDecoder } from './hpack/decoder.ts'
import type { FieldSection } from './hpack/field.ts'
import { HpackError } from './hpack/error.ts'
import { readRequestHead, type Http2RequestHead } from './request-head.ts'

/** Default SETTINGS_HEADER_TABLE_SIZE, in bytes. The server does not announce any other size. */
const TABLE_BYTES = 4096

/** Decodes a client's field blocks. Caches the last valid request head, because clients often repeat it. */
export class RequestDecoder {
  readonly #limits: Limits
  readonly #allowsTunnels: boolean
  readonly #hpack: HpackDecoder
  #section: FieldSection | undefined = undefined
  #head: Http2RequestHead | undefined = undefined

  /** @param allowsTunnels Whether the server has announced extended CONNECT */
  constructor(limits: Limits, allowsTunnels: boolean) {
    this.#limits = limits
    this.#allowsTunnels = allowsTunnels
    this.#hpack = new HpackDecoder(TABLE_BYTES, limits.maxHeadBytes)
  }

  /** Decodes a whole field block, which must be the next on the connection. @throws {ConnectionError} COMPRESSION_ERROR */
  decode(block: Buffer, start: number, end: number): FieldSection {
    try {
      return this.#hpack.decode(block, start, end)
    } catch (error) {
      if (!(error instanceof HpackError)) throw error
      throw new ConnectionError(ErrorCode.COMPRESSION_ERROR, error.message)
    }
  }

  /** Reads a section as a request head. @throws like `readRequestHead` */
  head(section: FieldSection): Http2RequestHead {
    if (section === this.#section && this.#head !== undefined) return this.#head
    const head = readRequestHead(section, this.#limits, this.#allowsTunnels)
    this.#section = section
    this.#head = head
    return head
  }
}
