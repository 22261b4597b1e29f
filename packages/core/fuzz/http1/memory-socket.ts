import { Duplex } from 'node:stream'

const BUFFER = Symbol('kBuffer')
const CALLBACK = Symbol('kBufferCb')
const NEXT_BUFFER = Symbol('kBufferGen')

/** Socket without a network. Collects the bytes that a server writes. `push` adds bytes from a client. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 1
  /** Bytes that the server wrote, one character per byte. */
  output = ''

  constructor() {
    super({ allowHalfOpen: true })
  }

  override _read(): void {}

  /** Delivers bytes from a client. */
  receive(bytes: Buffer): void {
    this.push(bytes)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.output += chunk.toString('latin1')
    done()
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

/**
 * Socket that reads into the caller's buffer if requested, like a Node.js socket. The next read overwrites the
 * buffer.
 */
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
      if (buffer === null || callback === null) throw new Error('The read buffer is missing')
      const count = bytes.copy(buffer, 0, at)
      at += count
      callback.call(this, count, buffer)
      buffer.fill('#')
      this[BUFFER] = this[NEXT_BUFFER]?.() ?? buffer
    }
  }
}
