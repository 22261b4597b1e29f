import { showType, withCode } from '@fw/options'
import { Readable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import type { BodySource } from '@fw/types'
import { cancelStream } from '../engine/exchange/cancel-stream.ts'

/** Reads a body piece by piece. */
export interface SourceReader {
  /** Returns the next bytes, or `undefined` at the end. */
  read(): Promise<Uint8Array | undefined> | Uint8Array | undefined
  /** Releases the source once. Has no effect after its end. Never throws or rejects. */
  cancel(reason: Error): void
}

/**
 * Starts reading a source.
 *
 * @throws {TypeError} if the source is already being read. `read` also throws a TypeError for a piece that is neither
 * text nor bytes
 */
export function readSource(source: BodySource): SourceReader {
  if (source instanceof ReadableStream) return readStream(source)
  return Symbol.asyncIterator in source ? readAsyncIterable(source) : readIterable(source)
}

/** Releases a source that is not read. Never throws or rejects. */
export function discardSource(source: BodySource): void {
  if (source instanceof ReadableStream) {
    if (!source.locked) cancelStream(source, source, withCode('FW_BODY_NOT_SENT', new Error('The body is not sent')))
    return
  }
  try {
    // A file stream reports a failure to open the file even after the stream is destroyed.
    if (source instanceof Readable) source.on('error', () => {})
    readSource(source).cancel(withCode('FW_BODY_NOT_SENT', new Error('The body is not sent')))
  } catch {
    // A source without a working iterator has nothing to release.
  }
}

function readStream(stream: ReadableStream<Uint8Array>): SourceReader {
  const reader = stream.getReader()
  return {
    async read() {
      const { done, value } = await reader.read()
      return done ? undefined : bytes(value)
    },
    cancel(reason) {
      cancelStream(stream, reader, reason)
    },
  }
}

function readAsyncIterable(iterable: AsyncIterable<Uint8Array | string>): SourceReader {
  const iterator = iterable[Symbol.asyncIterator]()
  let isOver = false
  return {
    async read() {
      let result: IteratorResult<Uint8Array | string>
      try {
        result = await iterator.next()
      } catch (error) {
        isOver = true
        throw error
      }
      if (result.done !== true) return bytes(result.value)
      isOver = true
      return undefined
    },
    cancel() {
      if (isOver) return
      isOver = true
      // The iterator of an unread Node.js stream does not close it.
      if (iterable instanceof Readable) iterable.destroy()
      // Ignore the rejection: no caller waits for the source to end.
      Promise.try(() => iterator.return?.()).catch(() => {})
    },
  }
}

function readIterable(iterable: Iterable<Uint8Array | string>): SourceReader {
  // Iterating a string yields characters. Send it as one piece instead.
  const iterator = (typeof iterable === 'string' ? [iterable] : iterable)[Symbol.iterator]()
  let isOver = false
  return {
    read() {
      // An iterator that throws has ended and must not be released. Only an iterator that returns a piece is still
      // open.
      const wasOver = isOver
      isOver = true
      const { done, value } = iterator.next()
      if (done === true) return undefined
      isOver = wasOver
      return bytes(value)
    },
    cancel() {
      if (isOver) return
      isOver = true
      try {
        iterator.return?.()
      } catch {
        // Ignore the error: no caller waits for the source to end.
      }
    },
  }
}

function bytes(piece: unknown): Uint8Array {
  if (piece instanceof Uint8Array) return piece
  if (typeof piece === 'string') return Buffer.from(piece)
  // Converts a `Uint8Array` from another realm.
  if (isUint8Array(piece)) return new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)
  throw withCode(
    'FW_INVALID_BODY',
    new TypeError(
      `response: streamed body must consist of strings or Uint8Arrays, got ${showType(piece)}. Convert each piece.`,
    ),
  )
}
