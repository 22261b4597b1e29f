import type { Limits } from '../../options/limits.ts'
import type { Transport } from '../transport.ts'
import { bufferLedger, COMMON_SHARE, type LedgerEntry } from './buffer-ledger.ts'
import type { Chunk } from './queued-text.ts'

/** Bytes of a streamed response that a connection can always buffer, equal to one file read. */
const STREAMED_BYTES = 256 * 1024

/**
 * Minimum size of a request head, in bytes, that counts until its exchange has ended. Smaller heads are not worth
 * counting: 100 streams with such heads use at most 100 KiB.
 */
export const LARGE_HEAD_BYTES = 1024

/** Milliseconds between two checks of whether memory is still short. */
const RETRY_MS = 250
/** Minimum size, in bytes, of a chunk that can count as a connection's largest. */
const LARGE_BYTES = 256 * 1024

/** A connection that has a `BufferAccount`. */
export interface BufferHolder {
  /** Closes the connection and frees the bytes held for it. */
  destroy(): void
  /** Continues after `awaitRoom`, because the account is below its limits again. */
  onBufferRoom(): void
}

/** The limits of an account. */
export type BufferLimits = Pick<Limits, 'maxBufferedBytes' | 'maxBufferedBytesPerConnection'>

/**
 * Counts the bytes that the process holds for one connection: unsent responses and incomplete request bodies. The
 * account is created when the connection's first bytes have to wait.
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
  /** Bytes counted by `add`, which belong to no chunk. */
  #plainBytes = 0
  /** Sizes of the large chunks that are held. A connection has few of them. */
  readonly #large: number[] = []
  #largestBytes = 0
  /**
   * Bytes of request heads that wait for room. `isFull` ignores them, because these requests would otherwise block
   * themselves.
   */
  #waitingBytes = 0
  /** Bytes in the transport at the last measurement. */
  #transportBytes = 0
  #measured: Pick<Transport, 'bufferedBytes'> | undefined = undefined
  #awaitsRoom = false
  /** Whether a response was refused since the connection last released a chunk. */
  #hasRefused = false
  #timer: NodeJS.Timeout | undefined = undefined
  #isClosed = false

  constructor(limits: BufferLimits, holder: BufferHolder) {
    this.limits = limits
    this.holder = holder
  }

  /**
   * Whether the connection has reached its limit. The largest chunk does not count, so that one large unread response
   * does not block the other requests.
   */
  get isFull(): boolean {
    const { maxBufferedBytesPerConnection: max } = this.limits
    return max > 0 && this.bytes - this.#waitingBytes - this.#largestBytes >= max
  }

  /**
   * Whether the next request on the connection must wait. While memory is short, the largest chunk counts too. After a
   * refusal, no handler starts, because its response would probably also be refused.
   */
  get mustWait(): boolean {
    if (this.isFull) return true
    const { maxBufferedBytesPerConnection: own } = this.limits
    if (own === 0 || !this.#isShort) return false
    return this.bytes - this.#waitingBytes >= (this.#hasRefused ? STREAMED_BYTES : own)
  }

  /** Reports whether the connection can hold new bytes that cannot be sent yet. */
  hasRoomFor(byteLength: number): boolean {
    const { maxBufferedBytes: max, maxBufferedBytesPerConnection: own } = this.limits
    const total = bufferLedger.bytes
    if (max === 0 || total < max * COMMON_SHARE) return true
    // A connection that has buffered few bytes can exceed its limit with one response.
    return total < max && (own === 0 || this.bytes < STREAMED_BYTES || this.bytes + byteLength <= own)
  }

  /**
   * Reports whether the connection can hold a response that cannot be sent yet. A body that another response already
   * holds is always admitted.
   */
  admits(body: Uint8Array | string, byteLength: number): boolean {
    if (this.hasRoomFor(byteLength)) return true
    if (typeof body !== 'string' && bufferLedger.holds(body)) return true
    this.onRefused()
    return false
  }

  /** Counts a response that was refused because of a limit. */
  onRefused(): void {
    this.#hasRefused = true
    bufferLedger.onRefused()
  }

  /** Reports whether the connection can hold a part of a streamed response that cannot be sent yet. */
  admitsPart(part: Uint8Array): boolean {
    return this.bytes + part.byteLength <= STREAMED_BYTES || this.admits(part, part.byteLength)
  }

  /** Counts a waiting chunk. */
  hold(chunk: Chunk): void {
    const { byteLength } = chunk
    bufferLedger.hold(chunk)
    if (byteLength >= LARGE_BYTES) {
      this.#large.push(byteLength)
      this.#largestBytes = Math.max(this.#largestBytes, byteLength)
    }
    this.#change(byteLength)
  }

  /** Stops counting a chunk that `hold` counted. */
  release(chunk: Chunk): void {
    this.#hasRefused = false
    const { byteLength } = chunk
    bufferLedger.release(chunk)
    if (byteLength >= LARGE_BYTES) {
      this.#large.splice(this.#large.indexOf(byteLength), 1)
      if (byteLength === this.#largestBytes) this.#largestBytes = Math.max(0, ...this.#large)
    }
    this.#change(-byteLength)
  }

  /** Changes the number of held bytes that belong to no chunk, such as those of a request. */
  add(difference: number): void {
    if (this.#isClosed || difference === 0) return
    this.#plainBytes += difference
    bufferLedger.add(difference)
    this.#change(difference)
  }

  /** Counts bytes of a request body, like `add`. An increase also counts as progress by the client. */
  onReceived(difference: number): void {
    if (difference > 0) this.onTaken(difference)
    this.add(difference)
  }

  /** Counts bytes of a request body like `onReceived`, or bytes that were made from it, which are not progress. */
  onBodyHeld(difference: number, isReceived: boolean): void {
    if (isReceived) this.onReceived(difference)
    else this.add(difference)
  }

  /** Changes the number of bytes of request heads that wait for room. @param isCounted Whether `add` counted them */
  addWaiting(difference: number, isCounted: boolean): void {
    this.#waitingBytes += difference
    if (!isCounted) this.add(difference)
  }

  /** Sets the number of bytes that the transport holds. A decrease counts as progress by the client. */
  setTransportBytes(bytes: number): void {
    const difference = bytes - this.#transportBytes
    this.#transportBytes = bytes
    if (difference < 0) this.onTaken(-difference)
    this.add(difference)
  }

  /** Measures the bytes of a transport regularly from now on, because other code writes to it, as after an upgrade. */
  measure(transport: Pick<Transport, 'bufferedBytes'>): void {
    this.#measured = transport
    bufferLedger.measure(this)
  }

  remeasure(): void {
    if (this.#measured !== undefined) this.setTransportBytes(this.#measured.bufferedBytes)
  }

  /** Counts bytes that the peer has read or sent as progress. */
  onTaken(bytes: number): void {
    this.progressBytes += bytes
  }

  /** Requests one `onBufferRoom` call when further requests no longer have to wait. */
  awaitRoom(): void {
    this.#awaitsRoom = true
    if (!this.#isShort || this.#timer !== undefined) return
    // Only other connections can end a process-wide shortage, so check again later.
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#awaitsRoom && !this.#checkRoom()) this.awaitRoom()
    }, RETRY_MS)
    this.#timer.unref()
  }

  /**
   * Closes the account with its connection, and releases all bytes that are not chunks. The queues release their
   * chunks.
   */
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
