import type { TestField } from '../client.ts'
import { IncompleteResponse, MalformedResponse } from '../response-error.ts'
import type { ByteReader } from './byte-reader.ts'
import { readFields } from './read-head.ts'
import type { ResponseFraming } from './response-framing.ts'

/** Chunk size in hexadecimal; 13 digits stay below `Number.MAX_SAFE_INTEGER`. */
const SIZE_LINE = /^[0-9a-fA-F]{1,13}$/
const MAX_SIZE_LINE_BYTES = 64

/**
 * Yields the bytes of a body and returns the trailers.
 *
 * Rejects chunk extensions, because no server under test sends them.
 *
 * @throws {IncompleteResponse} if the connection ends within the body
 * @throws {MalformedResponse} if the chunked coding is invalid
 */
export async function* readBody(
  reader: ByteReader,
  framing: ResponseFraming,
): AsyncGenerator<Uint8Array, readonly TestField[], void> {
  if (framing === 'chunked') return yield* readChunked(reader)
  if (framing === 'close') yield* readToEnd(reader)
  else if (framing !== 'none') yield* readLength(reader, framing.length)
  return []
}

async function* readChunked(reader: ByteReader): AsyncGenerator<Uint8Array, readonly TestField[], void> {
  for (;;) {
    const line = await reader.line(MAX_SIZE_LINE_BYTES)
    if (!SIZE_LINE.test(line)) throw new MalformedResponse(`Invalid chunk size ${JSON.stringify(line)}`)
    const size = Number.parseInt(line, 16)
    if (size === 0) return readFields(reader)
    yield* readLength(reader, size)
    await reader.line(0)
  }
}

async function* readLength(reader: ByteReader, length: number): AsyncGenerator<Uint8Array, void, void> {
  for (let left = length; left > 0;) {
    const slice = await reader.some(left)
    if (slice === undefined) throw new IncompleteResponse(`The body ended ${left} bytes early`)
    left -= slice.length
    yield slice
  }
}

async function* readToEnd(reader: ByteReader): AsyncGenerator<Uint8Array, void, void> {
  for (;;) {
    const slice = await reader.some(Number.MAX_SAFE_INTEGER)
    if (slice === undefined) return
    yield slice
  }
}
