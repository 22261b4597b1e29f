import { Duplex } from 'node:stream'

/** A socket without a network, that can be slow to take what a server writes. */
export class Wire extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 1
  readonly #written: Buffer[] = []
  readonly #isSlow: boolean
  #taken: (() => void) | undefined

  /** @param isSlow Whether each write waits for `release` */
  constructor(isSlow: boolean) {
    super({ allowHalfOpen: true })
    this.#isSlow = isSlow
  }

  /** What the server wrote since the last call. */
  takeWritten(): Buffer {
    return Buffer.concat(this.#written.splice(0))
  }

  /** Whether a write waits. */
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
    // As an operating system does; the server may use its memory again once it is told.
    this.#written.push(Buffer.from(chunk))
    if (this.#isSlow) this.#taken = done
    else done()
  }

  // What servers ask of a socket and what has no meaning here.
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
