import { Duplex } from 'node:stream'

/** A socket without a network: what a server writes is collected, what a client would send is pushed. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 1
  /** What the server wrote, one character an octet. */
  output = ''

  constructor() {
    super({ allowHalfOpen: true })
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.output += chunk.toString('latin1')
    done()
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
