import { responseBatch, type HeldOutput } from '../../engine/event-loop/response-batch.ts'
import { runOutsideRequests } from '../../engine/event-loop/outside-requests.ts'
import type { OnTaken, Transport } from '../../engine/transport.ts'

/** Room for what is put together before it leaves. */
export const OUTPUT_BUFFER_BYTES: number = 16 * 1024
/** What waits at most for more to leave with. */
const FLUSH_BYTES = 64 * 1024
/** Buffers that are kept for the next connection that has something to say. */
const MAX_FREE_BUFFERS = 64

const free: Buffer[] = []

/** The bytes that leave a connection: those of one turn of the event loop in one write. */
export class Output implements HeldOutput {
  /** Bytes of all so far. */
  writtenBytes = 0
  /** Where the next bytes go in the buffer that `room` gave. */
  protected at = 0
  readonly #transport: Transport
  /** What is behind `#parts`, up to `at`. */
  #buffer: Buffer | undefined = undefined
  /** From where what is in the buffer is not in `#parts`. */
  #from = 0
  /** What leaves next, in order. */
  #parts: Uint8Array[] = []
  #partsBytes = 0
  #isHeld = false
  #isScheduled = false
  /** Whether nothing can be sent any more. */
  #isOver = false

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Bytes of those in `writtenBytes` that the transport has taken. The memory of later bytes must not change. */
  get takenBytes(): number {
    return this.writtenBytes - this.bufferedBytes
  }

  /** Bytes that the transport has not taken. */
  get bufferedBytes(): number {
    return this.#unsentBytes + this.#transport.bufferedBytes
  }

  /** Whether the transport is blocked, or too many bytes wait for it. */
  get isBlocked(): boolean {
    return this.#transport.isBlocked || this.#unsentBytes >= FLUSH_BYTES
  }

  /** Sends what is there with the responses of other connections, at the end of the turn at the latest. */
  hold(): void {
    if (this.#isHeld || this.#isScheduled) return
    this.#isHeld = true
    responseBatch.add(this)
  }

  /** Sends what is there as soon as whoever runs now is done. */
  flushSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => this.flush())
  }

  release(): void {
    this.#isHeld = false
    this.flush()
  }

  /** Flushes, and then sends the end. @param onTaken Called when the transport has taken everything */
  end(onTaken: () => void): void {
    this.flush()
    this.#isOver = true
    runOutsideRequests(endTransport, this.#transport, onTaken)
  }

  /** Drops everything: the transport is closed. */
  close(): void {
    this.#isOver = true
    this.#drop()
  }

  /** Sends what is there. */
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
    // The next connection that has something to say may use the buffer, once the operating system has what is in it.
    const recycle = buffer && ((error?: Error | null) => void (error ?? giveBack(buffer)))
    // The `drain` that may follow is not of the request that is at work.
    runOutsideRequests(writeAll, this.#transport, parts, recycle)
  }

  /** A buffer with room for so many bytes from `at` on, `OUTPUT_BUFFER_BYTES` at most. */
  protected room(bytes: number): Buffer {
    const buffer = this.#buffer
    if (buffer !== undefined && this.at + bytes <= buffer.length) return buffer
    this.#closePart()
    this.at = 0
    this.#from = 0
    return (this.#buffer = free.pop() ?? Buffer.allocUnsafeSlow(OUTPUT_BUFFER_BYTES))
  }

  /** So many bytes are in the buffer from `at` on. */
  protected added(bytes: number): void {
    this.at += bytes
    this.#count(bytes)
  }

  /** So many bytes are in the buffer, and behind them those that are left where they are until `takenBytes` says so. */
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

  /** Begins anew. Frames may still be made when nothing can be sent any more, for streams that do not know yet. */
  #drop(): void {
    this.#parts = []
    this.#partsBytes = 0
    this.#buffer = undefined
    this.at = 0
    this.#from = 0
  }

  /** What follows is not in the buffer, or in another one. */
  #closePart(): void {
    const buffer = this.#buffer
    if (buffer === undefined || this.at === this.#from) return
    this.#parts.push(buffer.subarray(this.#from, this.at))
    this.#partsBytes += this.at - this.#from
    this.#from = this.at
  }
}

/** Writes all parts together. @param onTaken Called when the transport has taken them, or has failed */
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
