import type { Limits } from '../../options/limits.ts'
import type { Transport } from '../transport.ts'
import { bufferLedger, COMMON_SHARE, type LedgerEntry } from './buffer-ledger.ts'
import type { Chunk } from './queued-text.ts'

/** Bytes that a streamed response may add on a connection whatever others hold: what one read of a file gives. */
const STREAMED_BYTES = 256 * 1024

/** Time between two checks whether memory is still short. */
const RETRY_MS = 250
/** Minimum bytes of a chunk that can count as the largest of a connection. */
const LARGE_BYTES = 256 * 1024

/** A connection for which bytes are held. */
export interface BufferHolder {
  /** Ends the connection, and frees everything that is held for it. */
  destroy(): void
  /** The connection has room again, of which it had none when `awaitRoom` was called. */
  onBufferRoom(): void
}

/** Limits that an account knows. */
export type BufferLimits = Pick<Limits, 'maxBufferedBytes' | 'maxBufferedBytesPerConnection'>

/**
 * The bytes that the process holds for one connection, because its peer does not read, or has not sent the rest. A
 * connection gets its account with the first bytes that have to wait.
 */
// docs/decisions/0105
export class BufferAccount implements LedgerEntry {
  readonly limits: BufferLimits
  readonly holder: BufferHolder
  bytes = 0
  progressBytes = 0
  seenBytes = 0
  stalledSinceMs: number | undefined = undefined
  ledgerPlace = 0
  measuredPlace = 0
  /** Bytes of those that `add` has counted. */
  #plainBytes = 0
  /** Sizes of the large chunks that are held, of which a connection has few. */
  readonly #large: number[] = []
  #largestBytes = 0
  /** Bytes of the heads of requests that wait for room. They must not keep themselves waiting. */
  #waitingBytes = 0
  /** Bytes that the transport was last seen to hold. */
  #transportBytes = 0
  #measured: Pick<Transport, 'bufferedBytes'> | undefined = undefined
  #awaitsRoom = false
  #timer: NodeJS.Timeout | undefined = undefined
  #isClosed = false

  constructor(limits: BufferLimits, holder: BufferHolder) {
    this.limits = limits
    this.holder = holder
  }

  /**
   * Whether the connection has reached its limit. The largest chunk does not count: a
   * response that its client does not read must not keep the connection from all others, as large as it may be.
   */
  get isFull(): boolean {
    const { maxBufferedBytesPerConnection: max } = this.limits
    return max > 0 && this.bytes - this.#waitingBytes - this.#largestBytes >= max
  }

  /** Whether a further request of the connection has to wait. While memory is short, the largest chunk counts, too. */
  get mustWait(): boolean {
    const { maxBufferedBytesPerConnection: own } = this.limits
    return this.isFull || (own > 0 && this.#isShort && this.bytes - this.#waitingBytes >= own)
  }

  /** Whether a response that must wait may be held. A body that other responses hold anyway always may. */
  admits(body: Uint8Array | string, byteLength: number): boolean {
    const { maxBufferedBytes: max, maxBufferedBytesPerConnection: own } = this.limits
    const total = bufferLedger.bytes
    if (max === 0 || total < max * COMMON_SHARE) return true
    // One response may be larger than the limit of the connection.
    if (total < max && (own === 0 || this.bytes < STREAMED_BYTES || this.bytes + byteLength <= own)) return true
    if (typeof body !== 'string' && bufferLedger.holds(body)) return true
    bufferLedger.onRefused()
    return false
  }

  /** Whether a part of a streamed response that must wait may be held. */
  admitsPart(part: Uint8Array): boolean {
    return this.bytes + part.byteLength <= STREAMED_BYTES || this.admits(part, part.byteLength)
  }

  hold(chunk: Chunk): void {
    const { byteLength } = chunk
    bufferLedger.hold(chunk)
    if (byteLength >= LARGE_BYTES) {
      this.#large.push(byteLength)
      this.#largestBytes = Math.max(this.#largestBytes, byteLength)
    }
    this.#change(byteLength)
  }

  release(chunk: Chunk): void {
    const { byteLength } = chunk
    bufferLedger.release(chunk)
    if (byteLength >= LARGE_BYTES) {
      this.#large.splice(this.#large.indexOf(byteLength), 1)
      if (byteLength === this.#largestBytes) this.#largestBytes = Math.max(0, ...this.#large)
    }
    this.#change(-byteLength)
  }

  /** Counts bytes of no chunk, such as those of a request; fewer if `difference` is negative. */
  add(difference: number): void {
    if (this.#isClosed || difference === 0) return
    this.#plainBytes += difference
    bufferLedger.add(difference)
    this.#change(difference)
  }

  /** Like `add`, for bytes of a request body. Those that come are progress. */
  onReceived(difference: number): void {
    if (difference > 0) this.onTaken(difference)
    this.add(difference)
  }

  /** Like `add`, for the heads of requests that wait for room. */
  addWaiting(difference: number): void {
    this.#waitingBytes += difference
    this.add(difference)
  }

  /** Counts the bytes that the transport holds now instead of those that it held before. */
  setTransportBytes(bytes: number): void {
    const difference = bytes - this.#transportBytes
    this.#transportBytes = bytes
    if (difference < 0) this.onTaken(-difference)
    this.add(difference)
  }

  /** Counts what a transport holds from now on, though others write to it. */
  measure(transport: Pick<Transport, 'bufferedBytes'>): void {
    this.#measured = transport
    bufferLedger.measure(this)
  }

  look(): void {
    if (this.#measured !== undefined) this.setTransportBytes(this.#measured.bufferedBytes)
  }

  /** Counts bytes that the peer has taken, or sent, as progress. */
  onTaken(bytes: number): void {
    this.progressBytes += bytes
  }

  /** Calls `onBufferRoom` of the holder as soon as the account is not full any more. */
  awaitRoom(): void {
    this.#awaitsRoom = true
    if (!this.#isShort || this.#timer !== undefined) return
    // Other connections end the shortage.
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#awaitsRoom && !this.#checkRoom()) this.awaitRoom()
    }, RETRY_MS)
    this.#timer.unref()
  }

  /** The connection is closed: nothing is held for it any more. Its queues release what they hold. */
  close(): void {
    this.add(-this.#plainBytes)
    this.#isClosed = true
    this.#awaitsRoom = false
    if (this.#measured !== undefined) bufferLedger.unmeasure(this)
  }

  destroy(): void {
    this.holder.destroy()
  }

  #change(difference: number): void {
    const wasEmpty = this.bytes === 0
    this.bytes += difference
    if (wasEmpty) bufferLedger.open(this)
    else if (this.bytes === 0) bufferLedger.close(this)
    if (difference > 0) bufferLedger.onGrown(this)
    else if (this.#awaitsRoom) this.#checkRoom()
  }

  get #isShort(): boolean {
    const { maxBufferedBytes: max } = this.limits
    return max > 0 && bufferLedger.bytes >= max * COMMON_SHARE
  }

  #checkRoom(): boolean {
    if (this.mustWait) return false
    this.#awaitsRoom = false
    setImmediate(notifyRoom, this.holder)
    return true
  }
}

function notifyRoom(holder: BufferHolder): void {
  holder.onBufferRoom()
}
