import type { FieldList } from '@fw/types'
import { ChunkedDecoder, type ChunkedLimits, type OnBodyBytes } from './chunked.ts'
import type { Framing } from './framing.ts'

/** Extracts a request body from the bytes after its head. */
export interface BodyDecoder {
  /** Whether the whole body has been read. */
  readonly done: boolean
  readonly trailers: FieldList
  /**
   * Decodes one slice. Passes ranges of `input` to `onData`, and can move bytes within `input`.
   *
   * @returns The number of bytes read. It is less than the slice length if the body is complete, or if the decoder stopped after
   * one share of work to let other connections run
   * @throws {ProtocolError} if the body is malformed
   */
  decode(input: Uint8Array, onData: OnBodyBytes): number
}

/** Returns a decoder for the body of a request; `undefined` for a request without a body. */
export function bodyDecoder(framing: Framing, limits: ChunkedLimits): BodyDecoder | undefined {
  if (framing.kind === 'chunked') return new ChunkedDecoder(limits)
  if (framing.kind === 'none' || framing.length === 0) return undefined
  return new LengthDecoder(framing.length)
}

/** Reads a body of `length` bytes. */
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
