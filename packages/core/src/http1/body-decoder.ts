import type { FieldList } from '@fw/types'
import { ChunkedDecoder, type ChunkedLimits, type OnBodyBytes } from './chunked.ts'
import type { Framing } from './framing.ts'

/** Finds a request body in the bytes after its head. */
export interface BodyDecoder {
  /** Whether the whole body has been read. */
  readonly done: boolean
  readonly trailers: FieldList
  /**
   * Feeds one slice. Body bytes are passed on by where they are in it, and may have been moved within it.
   *
   * @returns How many bytes of `input` were read; fewer than all when `done`, and after so much work that others should have
   *   a turn before the rest is fed
   * @throws {ProtocolError} if the body is malformed
   */
  decode(input: Uint8Array, onData: OnBodyBytes): number
}

/** @returns `undefined` for a request without a body */
export function bodyDecoder(framing: Framing, limits: ChunkedLimits): BodyDecoder | undefined {
  if (framing.kind === 'chunked') return new ChunkedDecoder(limits)
  if (framing.kind === 'none' || framing.length === 0) return undefined
  return new LengthDecoder(framing.length)
}

/** A body of `content-length` bytes. */
class LengthDecoder implements BodyDecoder {
  readonly trailers: FieldList = []
  #left: number

  constructor(length: number) {
    this.#left = length
  }

  get done(): boolean {
    return this.#left === 0
  }

  decode(input: Uint8Array, onData: OnBodyBytes): number {
    const length = Math.min(this.#left, input.length)
    this.#left -= length
    if (length > 0) onData(input, 0, length)
    return length
  }
}
