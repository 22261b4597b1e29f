import { Duplex } from 'node:stream'
import type { BodyConsumer, RequestBody } from '@fw/types'
import type { BufferAccount } from '../budget/buffer-account.ts'
import { AbortedError } from '../errors.ts'
import { responseBatch, type HeldOutput } from '../event-loop/response-batch.ts'

/** Maximum size, in bytes, of writes that are copied into one. It is the payload of one HTTP/2 frame. */
const JOINED_BYTES = 16 * 1024

/** The stream of an HTTP/2 or HTTP/3 connection that carries a tunnel. */
export interface TunnelStream {
  /** The bytes that the client sends. */
  readonly body: RequestBody
  /** Account of the bytes buffered for the connection; created on first access. */
  readonly account: BufferAccount
  /**
   * Sends bytes, then calls `onSent` when their memory can be reused. Does not call it if the stream is aborted first.
   */
  sendBytes(parts: readonly Uint8Array[], onSent: () => void): void
  /** Ends this direction. The client can still send. */
  endBytes(): void
  /** Ends both directions. Has no effect if both have ended. */
  abort(error?: Error): void
}

type WriteDone = (error: Error | null | undefined) => void

/**
 * The bytes of an accepted extended CONNECT, in both directions. `end` ends one direction, and `destroy` resets the
 * stream.
 *
 * Sends the writes of an event-loop turn together (docs/decisions/0007). `writableLength` includes all bytes that the
 * transport has not accepted, because libraries such as `ws` limit a client's backlog by it.
 *
 * @see RFC 8441 §5, RFC 9220 §3
 */
export class Tunnel extends Duplex implements HeldOutput {
  readonly #stream: TunnelStream
  #isHeld = false
  /** Bytes passed to the stream whose `onSent` has not been called. The stream counts them itself. */
  #sendingBytes = 0
  /** Waiting bytes that the account counts. */
  #countedBytes = 0

  /** @param stream Stream whose head has been sent and whose body has no consumer */
  constructor(stream: TunnelStream) {
    // Without a buffer of its own, the readable side holds at most one chunk. The body counts all others.
    super({ allowHalfOpen: true, readableHighWaterMark: 0 })
    this.#stream = stream
    // Not every owner listens for errors. `close` follows each of them.
    this.on('error', ignore)
    stream.body.consume(new TunnelInput(this, stream.body))
  }

  override write(chunk: unknown, done?: WriteDone): boolean
  override write(chunk: unknown, encoding?: BufferEncoding, done?: WriteDone): boolean
  override write(chunk: unknown, encoding?: BufferEncoding | WriteDone, done?: WriteDone): boolean {
    if (!this.#isHeld && !this.destroyed && !this.writableEnded) {
      this.#isHeld = true
      this.cork()
      responseBatch.add(this)
    }
    const name = typeof encoding === 'function' ? 'utf8' : (encoding ?? 'utf8')
    // The account can refuse only bytes.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, name) : chunk
    const hasRoom = super.write(bytes, name, typeof encoding === 'function' ? encoding : done)
    if (!hasRoom) this.#onFull(bytes)
    return hasRoom
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.uncork()
  }

  override _read(): void {
    this.#stream.body.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send([chunk], done)
  }

  override _writev(writes: { readonly chunk: Buffer }[], done: () => void): void {
    this.#send(joinSmall(writes), done)
  }

  override _final(done: () => void): void {
    this.#stream.endBytes()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#count(0)
    this.#stream.abort(error ?? undefined)
    done(error)
  }

  #send(parts: readonly Uint8Array[], done: () => void): void {
    this.#sendingBytes = this.writableLength
    this.#count(0)
    this.#stream.sendBytes(parts, () => {
      this.#sendingBytes = 0
      if (!this.destroyed) done()
    })
  }

  /** Counts the waiting bytes. Sends the first ones now, because a longer batch does not save more time. */
  #onFull(chunk: unknown): void {
    if (this.#sendingBytes === 0) this.release()
    if (this.destroyed || this.#sendingBytes === 0) return
    const waitingBytes = this.writableLength - this.#sendingBytes
    if (waitingBytes <= 0) return
    const isAdmitted = !(chunk instanceof Uint8Array) || this.#stream.account.admitsPart(chunk)
    if (isAdmitted) this.#count(waitingBytes)
    else this.destroy(new AbortedError('Too many bytes are waiting for the client (limits.maxBufferedBytes)'))
  }

  #count(waitingBytes: number): void {
    if (waitingBytes === this.#countedBytes) return
    this.#stream.account.add(waitingBytes - this.#countedBytes)
    this.#countedBytes = waitingBytes
  }
}

/** Passes the client's bytes to a tunnel. One object for each tunnel uses less memory than three functions. */
class TunnelInput implements BodyConsumer {
  readonly #tunnel: Tunnel
  readonly #body: RequestBody

  constructor(tunnel: Tunnel, body: RequestBody) {
    this.#tunnel = tunnel
    this.#body = body
  }

  data(chunk: Uint8Array): void {
    if (!this.#tunnel.push(chunk)) this.#body.pause()
  }

  end(): void {
    this.#tunnel.push(null)
  }

  error(error: Error): void {
    this.#tunnel.destroy(error)
  }
}

/** Joins consecutive small writes, so that they share a frame. */
function joinSmall(writes: readonly { readonly chunk: Buffer }[]): Uint8Array[] {
  const parts: Uint8Array[] = []
  let group: Buffer[] = []
  let groupBytes = 0
  const close = (): void => {
    const [first] = group
    if (first !== undefined) parts.push(group.length === 1 ? first : Buffer.concat(group, groupBytes))
    group = []
    groupBytes = 0
  }
  for (const { chunk } of writes) {
    if (groupBytes + chunk.byteLength > JOINED_BYTES) close()
    group.push(chunk)
    groupBytes += chunk.byteLength
  }
  close()
  return parts
}

function ignore(): void {}
