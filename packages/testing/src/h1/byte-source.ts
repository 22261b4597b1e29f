import type { Socket } from 'node:net'

/** Where octets come from, one slice at a time. */
export interface ByteSource {
  /** The next slice, or `undefined` at the end. @throws what broke the transport */
  read(): Promise<Uint8Array | undefined>
}

/** Pulls from a socket, so that one which is not read fills up and slows its peer down. */
export class SocketSource implements ByteSource {
  readonly #socket: Socket
  #error: Error | undefined
  #wake: (() => void) | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('error', (error) => (this.#error = error))
    for (const event of ['readable', 'end', 'close']) socket.on(event, () => this.#wake?.())
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const slice = this.#socket.read() as Buffer | null
      if (slice !== null) return slice
      if (this.#error !== undefined) throw this.#error
      if (this.#socket.readableEnded || this.#socket.destroyed) return undefined
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

/** Slices that are all there. */
export function sliceSource(slices: Iterable<Uint8Array>): ByteSource {
  const iterator = slices[Symbol.iterator]()
  return { read: () => Promise.resolve(iterator.next().value as Uint8Array | undefined) }
}
