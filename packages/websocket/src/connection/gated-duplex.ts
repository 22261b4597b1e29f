import { Duplex } from 'node:stream'
import { FrameScanner } from './frame-scanner.ts'

/** Bytes that wait for the handler before the transport stops reading. Enough to notice that the client has disconnected. */
const HELD_BYTES = 16 * 1024
/** First opcodes of a message: text and binary. */
const TEXT = 1
const BINARY = 2

/** Listens to a `GatedDuplex`. */
export interface GateListener {
  /** Called for each read, before its bytes are passed on. */
  onReceived(): void
  /** Called for each frame. @returns False to discard this and all later input */
  onFrame(isControl: boolean): boolean
  /** Called when the client has ended its direction while messages are waiting. */
  onEndWhileHeld(): void
  /** Called when the transport has accepted all bytes, after `isFull` was true. */
  onRoom(): void
}

/**
 * Passes a client's bytes to the `ws` library one message at a time.
 *
 * `ws` emits every message of a read immediately. This stream instead waits before each message until `release()` has been
 * called for the previous one. Control frames pass without waiting, unless they follow a message that waits.
 */
export class GatedDuplex extends Duplex {
  readonly #inner: Duplex
  readonly #listener: GateListener
  readonly #scanner = new FrameScanner()
  readonly #onFrame: (isControl: boolean) => void
  #pending: Buffer | undefined = undefined
  #isReady = false
  #isDelivering = false
  #isDiscarding = false
  /** Whether messages pass without `release()`, because the handler receives no more of them. */
  #isUngated = false
  #hasEnded = false

  constructor(inner: Duplex, listener: GateListener) {
    super({ allowHalfOpen: true })
    this.#inner = inner
    this.#listener = listener
    this.#onFrame = (isControl) => {
      if (!this.#listener.onFrame(isControl)) this.discard()
    }
    inner.on('data', (bytes: Buffer) => this.#receive(bytes))
    inner.on('end', () => this.#end())
    // A `close` event follows each error.
    inner.on('error', () => {})
    inner.on('close', () => this.destroy())
    inner.on('drain', () => this.#listener.onRoom())
    if (inner.destroyed) this.destroy()
  }

  /** Whether a message is waiting for `release()`. */
  get isHolding(): boolean {
    return this.#pending !== undefined && !this.#isReady && !this.#isUngated
  }

  /** Bytes that the transport has not sent yet. */
  get unsentBytes(): number {
    return this.#inner.writableLength
  }

  /** Whether to wait for `onRoom` before the next write. */
  get isFull(): boolean {
    return this.#inner.writableNeedDrain
  }

  /** Lets the next message pass. */
  release(): void {
    this.#isReady = true
    this.#deliver()
  }

  /** Lets all messages pass. */
  ungate(): void {
    this.#isUngated = true
    this.#deliver()
  }

  /** Discards all input from now on. */
  discard(): void {
    this.#isDiscarding = true
    this.#pending = undefined
    this.#inner.resume()
  }

  override _read(): void {
    if (!this.#isDelivering && this.#pending !== undefined) process.nextTick(deliver, this)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#inner.write(chunk)
    done()
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    for (const { chunk } of chunks) this.#inner.write(chunk)
    done()
  }

  override _final(done: () => void): void {
    this.#inner.end(() => done())
  }

  override _destroy(_error: Error | null, done: (error: Error | null) => void): void {
    this.#inner.destroy()
    // A lost connection is not an error: `close` reports it.
    done(null)
  }

  /** Continues after the reader has taken the previous bytes. */
  onReaderReady(): void {
    this.#deliver()
  }

  /** Whether the next byte can begin a message that must wait. */
  get #isGated(): boolean {
    // A second first frame within a message is an error, which the receiver reports.
    return this.#scanner.isBetweenFrames && !this.#scanner.isInMessage && !this.#isUngated
  }

  #receive(bytes: Buffer): void {
    this.#listener.onReceived()
    if (this.#isDiscarding) return
    this.#pending = this.#pending === undefined ? bytes : Buffer.concat([this.#pending, bytes])
    this.#deliver()
  }

  #end(): void {
    this.#hasEnded = true
    if (this.isHolding) this.#listener.onEndWhileHeld()
    this.#deliver()
  }

  #deliver(): void {
    if (this.#isDelivering || this.destroyed) return
    this.#isDelivering = true
    let isFull = false
    while (this.#pending !== undefined && !isFull) {
      const bytes: Buffer = this.#pending
      const end = this.#nextPart(bytes)
      if (end === 0 || this.#isDiscarding) break
      const isClosed = this.#scanner.isClosed
      this.#pending = end < bytes.length ? bytes.subarray(end) : undefined
      isFull = !this.push(end < bytes.length ? bytes.subarray(0, end) : bytes)
      // RFC 6455 §5.5.1: a Close frame ends the client's data.
      if (isClosed) this.discard()
    }
    this.#isDelivering = false
    if (this.#pending !== undefined && this.#pending.length >= HELD_BYTES) this.#inner.pause()
    else if (this.#inner.isPaused()) this.#inner.resume()
    if (this.#hasEnded && this.#pending === undefined && !this.readableEnded) this.push(null)
  }

  /** Returns the end of the bytes that can pass now: those of one message, and of control frames before it. */
  #nextPart(bytes: Buffer): number {
    const scanner = this.#scanner
    let at = 0
    while (at < bytes.length && !this.#isDiscarding) {
      if (this.#isGated && startsMessage(bytes[at] ?? 0)) {
        if (!this.#isReady) return at
        this.#isReady = false
      }
      at = scanner.pass(bytes, at, this.#onFrame)
      if (scanner.isMessageEnd || scanner.isClosed) return at
    }
    return at
  }
}

function startsMessage(firstByte: number): boolean {
  const opcode = firstByte & 0x0f
  return opcode === TEXT || opcode === BINARY
}

function deliver(duplex: GatedDuplex): void {
  duplex.onReaderReady()
}
