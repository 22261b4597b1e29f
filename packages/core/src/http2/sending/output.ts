import { responseBatch, type HeldOutput } from '../../engine/event-loop/response-batch.ts'
import { runOutsideRequests } from '../../engine/event-loop/outside-requests.ts'
import type { OnTaken, Transport } from '../../engine/transport.ts'

/** Size of an output buffer, in bytes. */
export const OUTPUT_BUFFER_BYTES: number = 16 * 1024
/** Unsent bytes that trigger a write before the end of the turn. */
const FLUSH_BYTES = 64 * 1024
/** Maximum number of free buffers shared by all connections. */
const MAX_FREE_BUFFERS = 64

const free: Buffer[] = []

/** Collects the bytes that a connection sends in one turn of the event loop, and writes them together. */
export class Output implements HeldOutput {
  /** Bytes added so far. */
  writtenBytes = 0
  /** Position of the next byte in the buffer that `room` returned. */
  protected at = 0
  readonly #transport: Transport
  /** Buffer whose bytes from `#from` to `at` follow `#parts`. */
  #buffer: Buffer | undefined = undefined
  /** Start of the bytes in the buffer that are not in `#parts`. */
  #from = 0
  /** Unsent bytes, in order. */
  #parts: Uint8Array[] = []
  #partsBytes = 0
  #isHeld = false
  #isScheduled = false
  /** Callbacks to run when all bytes written so far have been sent. */
  #onSent: (() => void)[] = []
  /** Whether the output has ended and drops further bytes. */
  #isOver = false

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Number of `writtenBytes` that the transport has accepted. The memory of later bytes must not change. */
  get takenBytes(): number {
    return this.writtenBytes - this.bufferedBytes
  }

  /** Bytes that the transport has not accepted. */
  get bufferedBytes(): number {
    return this.#unsentBytes + this.#transport.bufferedBytes
  }

  /** Whether the transport is blocked, or too many bytes are waiting for it. */
  get isBlocked(): boolean {
    return this.#transport.isBlocked || this.#unsentBytes >= FLUSH_BYTES
  }

  /** Schedules a flush together with the responses on other connections, at the latest at the end of the turn. */
  hold(): void {
    if (this.#isHeld || this.#isScheduled) return
    this.#isHeld = true
    responseBatch.add(this)
  }

  /** Schedules a flush as a microtask, after the running function. */
  flushSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => this.flush())
  }

  /** Calls `onSent` when all bytes written so far have been sent. Does not call it if the connection closes first. */
  whenSent(onSent: () => void): void {
    if (this.#unsentBytes > 0) this.#onSent.push(onSent)
    else this.#transport.whenSent(onSent)
  }

  release(): void {
    this.#isHeld = false
    this.flush()
  }

  /** Flushes, then ends the transport. @param onTaken Called when the transport has accepted all bytes */
  end(onTaken: () => void): void {
    this.flush()
    this.#isOver = true
    runOutsideRequests(endTransport, this.#transport, onTaken)
  }

  /** Drops all unsent bytes, because the transport is closed. */
  close(): void {
    this.#isOver = true
    this.#drop()
  }

  /** Writes all unsent bytes to the transport. */
  flush(): void {
    this.#isScheduled = false
    if (this.#isOver) {
      this.#drop()
      return
    }
    const buffer = this.#buffer
    this.#closePart()
    const parts = this.#parts
    if (parts.length === 0) return
    this.#drop()
    // Reuse the buffer only after the operating system has accepted its bytes.
    const recycle = buffer && ((error?: Error | null) => void (error ?? giveBack(buffer)))
    // A later `drain` event must not run in the async context of the current request.
    runOutsideRequests(writeAll, this.#transport, parts, recycle)
    if (this.#onSent.length > 0) this.#passOnSent()
  }

  /** Returns a buffer with room for `bytes` from `at`. @param bytes At most `OUTPUT_BUFFER_BYTES` */
  protected room(bytes: number): Buffer {
    const buffer = this.#buffer
    if (buffer !== undefined && this.at + bytes <= buffer.length) return buffer
    this.#closePart()
    this.at = 0
    this.#from = 0
    return (this.#buffer = free.pop() ?? Buffer.allocUnsafeSlow(OUTPUT_BUFFER_BYTES))
  }

  /** Records that the caller has written `bytes` into the buffer from `at`. */
  protected added(bytes: number): void {
    this.at += bytes
    this.#count(bytes)
  }

  /**
   * Records `bytes` in the buffer, followed by `tail`, which is not copied. `tail` must not change until the transport
   * has accepted it.
   */
  protected addedBefore(bytes: number, tail: Uint8Array): void {
    this.at += bytes
    this.#closePart()
    this.#parts.push(tail)
    this.#partsBytes += tail.byteLength
    this.#count(bytes + tail.byteLength)
  }

  get #unsentBytes(): number {
    return this.#partsBytes + (this.at - this.#from)
  }

  #count(bytes: number): void {
    this.writtenBytes += bytes
    if (this.#unsentBytes >= FLUSH_BYTES && !this.#transport.isBlocked) this.flush()
  }

  #passOnSent(): void {
    const callbacks = this.#onSent
    this.#onSent = []
    this.#transport.whenSent(() => {
      for (const onSent of callbacks) onSent()
    })
  }

  /** Clears all unsent bytes. Streams can still add frames after the output has ended, until they are notified. */
  #drop(): void {
    this.#parts = []
    this.#partsBytes = 0
    this.#buffer = undefined
    this.at = 0
    this.#from = 0
  }

  /** Moves the bytes of the buffer into `#parts`, before bytes from another buffer follow. */
  #closePart(): void {
    const buffer = this.#buffer
    if (buffer === undefined || this.at === this.#from) return
    this.#parts.push(buffer.subarray(this.#from, this.at))
    this.#partsBytes += this.at - this.#from
    this.#from = this.at
  }
}

/** Writes all parts in one system call. @param onTaken Called when the transport has accepted them or has failed */
function writeAll(transport: Transport, parts: readonly Uint8Array[], onTaken?: OnTaken): void {
  const last = parts.length - 1
  if (last > 0) transport.cork()
  for (const [at, part] of parts.entries()) transport.write(part, at === last ? onTaken : undefined)
  if (last > 0) transport.uncork()
}

function endTransport(transport: Transport, onTaken: OnTaken): void {
  transport.end(onTaken)
}

function giveBack(buffer: Buffer): void {
  if (free.length < MAX_FREE_BUFFERS) free.push(buffer)
}
