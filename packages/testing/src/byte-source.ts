import type { Readable } from 'node:stream'

/** Byte source from which a reader pulls one slice at a time. */
export interface ByteSource {
  /** Returns the next slice, or `undefined` at the end. @throws the error that broke the transport */
  read(): Promise<Uint8Array | undefined>
}

/** Pulls from a stream. While the test is not reading, the stream's buffer fills and backpressure stops the peer. */
export class StreamSource implements ByteSource {
  readonly #stream: Readable
  #error: Error | undefined
  #wake: (() => void) | undefined

  constructor(stream: Readable) {
    this.#stream = stream
    stream.on('error', (error) => (this.#error = error))
    for (const event of ['readable', 'end', 'close']) stream.on(event, () => this.#wake?.())
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const slice = this.#stream.read() as Buffer | null
      if (slice !== null) return slice
      if (this.#error !== undefined) throw this.#error
      if (this.#stream.readableEnded || this.#stream.destroyed) return undefined
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

/** Returns a source of the given slices. */
export function sliceSource(slices: Iterable<Uint8Array>): ByteSource {
  const iterator = slices[Symbol.iterator]()
  return { read: () => Promise.resolve(iterator.next().value as Uint8Array | undefined) }
}
