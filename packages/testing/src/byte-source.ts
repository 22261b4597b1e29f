import type { Readable } from 'node:stream'

/** Where bytes come from, one slice at a time. */
export interface ByteSource {
  /** The next slice, or `undefined` at the end. @throws what broke the transport */
  read(): Promise<Uint8Array | undefined>
}

/** Pulls from a stream, so that one which is not read fills up and slows its peer down. */
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

/** Slices that are all there. */
export function sliceSource(slices: Iterable<Uint8Array>): ByteSource {
  const iterator = slices[Symbol.iterator]()
  return { read: () => Promise.resolve(iterator.next().value as Uint8Array | undefined) }
}
