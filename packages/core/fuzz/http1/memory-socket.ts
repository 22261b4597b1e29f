import { Duplex } from 'node:stream'

const BUFFER = Symbol('kBuffer')
const CALLBACK = Symbol('kBufferCb')
const NEXT_BUFFER = Symbol('kBufferGen')

/** A socket without a network: what a server writes is collected, what a client would send is pushed. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 1
  /** What the server wrote, one character a byte. */
  output = ''

  constructor() {
    super({ allowHalfOpen: true })
  }

  override _read(): void {}

  /** What a client sends arrives. */
  receive(bytes: Buffer): void {
    this.push(bytes)
  }

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

/** The same, read into memory of the reader's where it asks for that as of a socket of Node.js; the next read overwrites it. */
export class ReadIntoSocket extends MemorySocket {
  [BUFFER]: Buffer | null = null;
  [CALLBACK]: ((this: this, count: number, buffer: Buffer) => boolean) | null = null;
  [NEXT_BUFFER]: (() => Buffer | undefined) | null = null
  readonly _handle = { useUserBuffer: (): void => {} }

  get isReadInto(): boolean {
    return this[CALLBACK] !== null
  }

  override receive(bytes: Buffer): void {
    if (!this.isReadInto) return super.receive(bytes)
    for (let at = 0; at < bytes.length;) {
      const [buffer, callback] = [this[BUFFER], this[CALLBACK]]
      if (buffer === null || callback === null) throw new Error('There is nothing to read into')
      const count = bytes.copy(buffer, 0, at)
      at += count
      callback.call(this, count, buffer)
      buffer.fill('#')
      this[BUFFER] = this[NEXT_BUFFER]?.() ?? buffer
    }
  }
}
