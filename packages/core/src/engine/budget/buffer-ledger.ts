import { ChurnSet } from '../collections/churn-set.ts'
import { QueuedText, type Chunk } from './queued-text.ts'

/**
 * Share of `maxBufferedBytes` up to which connections can exceed their own limit. Above this share, only connections
 * below their own limit can buffer more.
 */
export const COMMON_SHARE = 0.25
/** Minimum size, in bytes, of a chunk whose buffer the ledger tracks, because many responses can share it. */
const SHARED_BYTES = 64 * 1024
/** Milliseconds between two checks of all connections while memory is short. */
const CHECK_MS = 250
/** Milliseconds without enough progress after which a connection is closed. Longer than a round trip. */
const STALL_MS = 1000
/**
 * Minimum progress while memory is short, in bytes per second. With a lower rate, a few slow clients could hold the
 * whole budget, and all other clients would be refused.
 */
const PROGRESS_BYTES_PER_SECOND = 16 * 1024

/**
 * Milliseconds after a refusal or a closed connection during which new connections start few handlers. Longer than an
 * attacker needs to reconnect and be disconnected again.
 */
const CAUTIOUS_MS = 10_000

/** Milliseconds between two measurements of upgraded connections. */
const MEASURE_MS = 1000

/** A connection for which bytes are held. */
export interface LedgerEntry {
  readonly limits: { readonly maxBufferedBytes: number }
  /** Bytes held for the connection. */
  readonly bytes: number
  /** Whether the connection has reached its own limit. */
  readonly isFull: boolean
  /** Total bytes that the peer has read or sent. */
  readonly progressBytes: number
  /** The value of `progressBytes` at the last check. */
  seenBytes: number
  /** Start of the period with too little progress; `undefined` before the first check. */
  stalledSinceMs: number | undefined
  /** Index in the ledger's set of connections. */
  ledgerPlace: number
  /** Index in the ledger's set of measured connections. */
  measuredPlace: number
  /** Updates the bytes that the transport holds. */
  remeasure(): void
  /** Closes the connection. */
  destroy(): void
}

/** Current totals of a ledger. */
export interface BufferStats {
  /** Bytes held for all connections. A buffer that several responses send counts once. */
  readonly bytes: number
  /** Number of connections with held bytes. */
  readonly connections: number
  /** Bytes that the fullest connection holds. A buffer that several of its responses send counts each time. */
  readonly largestConnectionBytes: number
  /** Requests answered with 503 and streamed responses aborted because of the limit. */
  readonly refused: number
  /** Connections closed because of the limit. */
  readonly closed: number
}

/**
 * Counts the bytes that the process holds for all connections. While they exceed the limit, the ledger closes the
 * connections that make too little progress, starting with the largest.
 */
// docs/decisions/0105
export class BufferLedger {
  /** Bytes held for all connections. */
  bytes = 0
  readonly #entries = new ChurnSet<LedgerEntry>('ledgerPlace')
  /** For each tracked buffer, the number of held chunks that are views of it, and the bytes counted for them. */
  readonly #buffers = new Map<ArrayBufferLike, { views: number; bytes: number }>()
  /** Upgraded connections, such as WebSockets. */
  readonly #measured = new ChurnSet<LedgerEntry>('measuredPlace')
  #measureTimer: NodeJS.Timeout | undefined = undefined
  #refused = 0
  #closed = 0
  #cautiousUntilMs = 0
  #timer: NodeJS.Timeout | undefined = undefined
  #checkedMs = 0

  /** The current totals. Reading them measures upgraded connections. */
  get stats(): BufferStats {
    this.#measure()
    let largestConnectionBytes = 0
    this.#entries.forEach(({ bytes }) => (largestConnectionBytes = Math.max(largestConnectionBytes, bytes)))
    const { bytes, size: connections } = { bytes: this.bytes, size: this.#entries.size }
    return { bytes, connections, largestConnectionBytes, refused: this.#refused, closed: this.#closed }
  }

  /** Reports whether a chunk is a view of a tracked buffer. */
  holds(chunk: Uint8Array): boolean {
    return chunk.byteLength >= SHARED_BYTES && this.#buffers.has(chunk.buffer)
  }

  /** Counts a waiting chunk. */
  hold(chunk: Chunk): void {
    const { byteLength } = chunk
    if (chunk instanceof QueuedText || byteLength < SHARED_BYTES) {
      this.bytes += byteLength
      return
    }
    const known = this.#buffers.get(chunk.buffer)
    if (known === undefined) {
      this.#buffers.set(chunk.buffer, { views: 1, bytes: byteLength })
      this.bytes += byteLength
      return
    }
    known.views++
    // The views of a buffer never count for more than the buffer.
    const bytes = Math.min(known.bytes + byteLength, chunk.buffer.byteLength)
    this.bytes += bytes - known.bytes
    known.bytes = bytes
  }

  /** Stops counting a chunk that `hold` counted. */
  release(chunk: Chunk): void {
    if (chunk instanceof QueuedText || chunk.byteLength < SHARED_BYTES) {
      this.bytes -= chunk.byteLength
      return
    }
    const known = this.#buffers.get(chunk.buffer)
    if (known === undefined || --known.views > 0) return
    this.#buffers.delete(chunk.buffer)
    this.bytes -= known.bytes
  }

  /** Changes the number of held bytes that belong to no chunk. */
  add(difference: number): void {
    this.bytes += difference
  }

  /** Adds a connection when its first bytes are held. */
  open(entry: LedgerEntry): void {
    entry.stalledSinceMs = undefined
    this.#entries.add(entry)
  }

  /** Removes a connection without held bytes. */
  close(entry: LedgerEntry): void {
    this.#entries.delete(entry)
  }

  /** Measures a connection regularly, because other code writes to its transport. */
  measure(entry: LedgerEntry): void {
    this.#measured.add(entry)
    if (this.#measured.size > 1) return
    this.#measureTimer = setInterval(this.#measure, MEASURE_MS)
    this.#measureTimer.unref()
  }

  /** Stops measuring a connection. */
  unmeasure(entry: LedgerEntry): void {
    this.#measured.delete(entry)
    if (this.#measured.size === 0) clearInterval(this.#measureTimer)
  }

  /** Starts the regular checks if this connection's bytes exceed a process limit. */
  onGrown(entry: LedgerEntry): void {
    if (this.#timer !== undefined || !this.#isShortFor(entry)) return
    this.#checkedMs = performance.now()
    this.#timer = setTimeout(this.#check, CHECK_MS)
    this.#timer.unref()
  }

  /** Reports whether the held bytes have reached a process limit; 0 for no limit. */
  isFull(maxBufferedBytes: number): boolean {
    return maxBufferedBytes > 0 && this.bytes >= maxBufferedBytes
  }

  /** Counts a request that was answered with 503, or a streamed response that was aborted. */
  onRefused(): void {
    this.#refused++
    this.#cautiousUntilMs = performance.now() + CAUTIOUS_MS
  }

  /** Whether the process has reached a limit in the last ten seconds. */
  get isCautious(): boolean {
    return this.#cautiousUntilMs > 0 && performance.now() < this.#cautiousUntilMs
  }

  #isShortFor({ limits: { maxBufferedBytes: max }, isFull }: LedgerEntry): boolean {
    return max > 0 && this.bytes >= (isFull ? max * COMMON_SHARE : max)
  }

  readonly #measure = (): void => {
    this.#measured.forEach((entry) => entry.remeasure())
  }

  readonly #check = (): void => {
    this.#timer = undefined
    this.#measure()
    const nowMs = performance.now()
    const minBytes = (PROGRESS_BYTES_PER_SECOND * (nowMs - this.#checkedMs)) / 1000
    this.#checkedMs = nowMs
    let isShort = false
    const stalled: LedgerEntry[] = []
    this.#entries.forEach((entry) => {
      const hasProgressed = entry.progressBytes - entry.seenBytes >= minBytes
      entry.seenBytes = entry.progressBytes
      if (hasProgressed || entry.stalledSinceMs === undefined) entry.stalledSinceMs = nowMs
      if (!this.#isShortFor(entry)) return
      isShort = true
      if (nowMs - entry.stalledSinceMs >= STALL_MS) stalled.push(entry)
    })
    stalled.sort((a, b) => b.bytes - a.bytes)
    // Count the bytes of each closed connection here, because some transports release them later.
    const before = this.bytes
    let freed = 0
    for (const entry of stalled) {
      if (!this.#isShortFor(entry) || before - freed < entry.limits.maxBufferedBytes * COMMON_SHARE) break
      freed += entry.bytes
      this.#closed++
      this.#cautiousUntilMs = nowMs + CAUTIOUS_MS
      entry.destroy()
    }
    if (!isShort) return
    this.#timer = setTimeout(this.#check, CHECK_MS)
    this.#timer.unref()
  }
}

/** The ledger for all servers on this thread, which share one heap. */
export const bufferLedger: BufferLedger = new BufferLedger()
