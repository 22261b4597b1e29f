import { Duplex } from 'node:stream'

/** Socket without a network, which can delay the server's writes. */
export class Wire extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 1
  readonly #written: Buffer[] = []
  readonly #isSlow: boolean
  #taken: (() => void) | undefined

  /**
   * Creates a socket.
   *
   * @param isSlow Whether each write waits for `release`
   */
  constructor(isSlow: boolean) {
    super({ allowHalfOpen: true })
    this.#isSlow = isSlow
  }

  /** Returns the bytes that the server wrote since the last call. */
  takeWritten(): Buffer {
    return Buffer.concat(this.#written.splice(0))
  }

  /** Whether a write is waiting. */
  get isHeld(): boolean {
    return this.#taken !== undefined
  }

  release(): void {
    const taken = this.#taken
    this.#taken = undefined
    taken?.()
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // Copy the chunk, as a kernel does: the server can reuse its memory after the callback.
    this.#written.push(Buffer.from(chunk))
    if (this.#isSlow) this.#taken = done
    else done()
  }

  // Socket methods that servers call and that have no effect here.
  setTimeout(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}
