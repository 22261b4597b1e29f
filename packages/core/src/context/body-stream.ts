import type { UnderlyingDefaultSource } from 'node:stream/web'
import { adaptResults, ignoreRejection } from './ignore-rejection.ts'

type Bytes = ReadableStream<Uint8Array>

/** Class that is created with the first stream, because Node.js loads `ReadableStream` on first access. */
let BodyStream: (new (source: UnderlyingDefaultSource<Uint8Array>, strategy: QueuingStrategy) => Bytes) | undefined

/**
 * Creates the stream of a request body. Its promises, and those of its readers, iterators and branches, never cause an
 * unhandled rejection (see `ignoreRejection`).
 */
export function makeBodyStream(source: UnderlyingDefaultSource<Uint8Array>): Bytes {
  BodyStream ??= bodyStream()
  return new BodyStream(source, { highWaterMark: 0 })
}

/** Makes an existing stream behave like those that `makeBodyStream` creates. */
export function asBodyStream(stream: Bytes): Bytes {
  BodyStream ??= bodyStream()
  return Object.setPrototypeOf(stream, BodyStream.prototype as object) as Bytes
}

function bodyStream(): NonNullable<typeof BodyStream> {
  const Stream = class extends ReadableStream<Uint8Array> {}
  const { prototype } = Stream
  adaptResults(prototype, ['cancel', 'pipeTo'], ignoreRejection)
  adaptResults(prototype, ['getReader'], (reader: ReadableStreamDefaultReader<Uint8Array>) =>
    adaptResults(reader, ['read', 'cancel'], ignoreRejection),
  )
  adaptResults(prototype, ['values', Symbol.asyncIterator], (iterator: Required<AsyncIterator<Uint8Array>>) =>
    adaptResults(iterator, ['next', 'return'], ignoreRejection),
  )
  adaptResults(prototype, ['tee'], (branches: [Bytes, Bytes]) => {
    for (const branch of branches) asBodyStream(branch)
    return branches
  })
  return Stream
}
