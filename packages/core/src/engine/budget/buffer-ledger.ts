import { ChurnSet } from '../collections/churn-set.ts'
import { QueuedText, type Chunk } from './queued-text.ts'

/** The share of the budget of the process up to which connections may have more than their own. The rest is for others. */
export const COMMON_SHARE = 0.25
/** Minimum bytes of a body whose buffer the ledger remembers, as many responses can send one buffer. */
const SHARED_BYTES = 64 * 1024
/** Time between two checks of all connections while memory is short. */
const LOOK_MS = 250
/** How long a connection may make too little progress then, which is more than a round trip. */
const STALL_MS = 1000
/**
 * Bytes a second that are progress while memory is short. More than a stall is judged by otherwise: for some bytes a second,
 * a few clients could keep all of the budget, and have all others refused.
 */
const PROGRESS_BYTES_PER_SECOND = 16 * 1024

/** Time between two checks of upgraded connections. */
const MEASURE_MS = 1000

/** A connection that has bytes held, as the ledger sees it. */
export interface LedgerEntry {
  readonly limits: { readonly maxBufferedBytes: number }
  /** Bytes that are held for it. */
  readonly bytes: number
  /** Whether these are more than its own budget. */
  readonly isFull: boolean
  /** Bytes that its peer has taken, or sent. */
  readonly progressBytes: number
  /** The value of `progressBytes` at the last check. */
  seenBytes: number
  /** Since when there is too little progress; `undefined` before the first check. */
  stalledSinceMs: number | undefined
  /** Where the ledger has it. */
  ledgerPlace: number
  /** Where the ledger has it among those that it measures. */
  measuredPlace: number
  /** Counts again what others write. */
  look(): void
  /** Ends the connection. */
  destroy(): void
}

/** Figures of a ledger. */
export interface BufferStats {
  /** Bytes that are held for all connections. A buffer that many responses send counts once. */
  readonly bytes: number
  /** Connections that have bytes held. */
  readonly connections: number
  /** Bytes of the connection that has most of them. A buffer that many of its responses send counts each time. */
  readonly largestConnectionBytes: number
  /** Requests that were responded to with 503, and streamed responses that were cut off, because of the limit. */
  readonly refused: number
  /** Connections that were closed because of the limit. */
  readonly closed: number
}

/**
 * Counts what all connections make the process hold. While that is too much, it closes those that make no progress, the
 * one that holds most first.
 */
// docs/decisions/0105
export class BufferLedger {
  /** Bytes that are held. */
  bytes = 0
  readonly #entries = new ChurnSet<LedgerEntry>('ledgerPlace')
  /** How many of the held chunks are views of a buffer, and the bytes that are counted for them. */
  readonly #buffers = new Map<ArrayBufferLike, { views: number; bytes: number }>()
  /** Connections that were handed over, such as those of WebSocket. */
  readonly #measured = new ChurnSet<LedgerEntry>('measuredPlace')
  #measureTimer: NodeJS.Timeout | undefined = undefined
  #refused = 0
  #closed = 0
  #timer: NodeJS.Timeout | undefined = undefined
  #lookedMs = 0

  get stats(): BufferStats {
    this.#measure()
    let largestConnectionBytes = 0
    this.#entries.forEach(({ bytes }) => (largestConnectionBytes = Math.max(largestConnectionBytes, bytes)))
    const { bytes, size: connections } = { bytes: this.bytes, size: this.#entries.size }
    return { bytes, connections, largestConnectionBytes, refused: this.#refused, closed: this.#closed }
  }

  /** Whether a chunk is a view of a buffer that is held. */
  holds(chunk: Uint8Array): boolean {
    return chunk.byteLength >= SHARED_BYTES && this.#buffers.has(chunk.buffer)
  }

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
    // Views of parts add up to the buffer at most.
    const bytes = Math.min(known.bytes + byteLength, chunk.buffer.byteLength)
    this.bytes += bytes - known.bytes
    known.bytes = bytes
  }

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

  add(difference: number): void {
    this.bytes += difference
  }

  /** Bytes are held for a connection that had none. */
  open(entry: LedgerEntry): void {
    entry.stalledSinceMs = undefined
    this.#entries.add(entry)
  }

  /** A connection has no bytes held any more. */
  close(entry: LedgerEntry): void {
    this.#entries.delete(entry)
  }

  /** Looks again and again at what a connection holds to which others write. */
  measure(entry: LedgerEntry): void {
    this.#measured.add(entry)
    if (this.#measured.size > 1) return
    this.#measureTimer = setInterval(this.#measure, MEASURE_MS)
    this.#measureTimer.unref()
  }

  unmeasure(entry: LedgerEntry): void {
    this.#measured.delete(entry)
    if (this.#measured.size === 0) clearInterval(this.#measureTimer)
  }

  /** Looks after the budget from now on if it is short. */
  onGrown(entry: LedgerEntry): void {
    if (this.#timer !== undefined || !this.#isShortFor(entry)) return
    this.#lookedMs = performance.now()
    this.#timer = setTimeout(this.#look, LOOK_MS)
    this.#timer.unref()
  }

  /** Counts a request that was refused, or a response that was cut off. */
  onRefused(): void {
    this.#refused++
  }

  #isShortFor({ limits: { maxBufferedBytes: max }, isFull }: LedgerEntry): boolean {
    return max > 0 && this.bytes >= (isFull ? max * COMMON_SHARE : max)
  }

  readonly #measure = (): void => {
    this.#measured.forEach((entry) => entry.look())
  }

  readonly #look = (): void => {
    this.#timer = undefined
    this.#measure()
    const nowMs = performance.now()
    const leastBytes = (PROGRESS_BYTES_PER_SECOND * (nowMs - this.#lookedMs)) / 1000
    this.#lookedMs = nowMs
    let isShort = false
    const stalled: LedgerEntry[] = []
    this.#entries.forEach((entry) => {
      const hasProgressed = entry.progressBytes - entry.seenBytes >= leastBytes
      entry.seenBytes = entry.progressBytes
      if (hasProgressed || entry.stalledSinceMs === undefined) entry.stalledSinceMs = nowMs
      if (!this.#isShortFor(entry)) return
      isShort = true
      if (nowMs - entry.stalledSinceMs >= STALL_MS) stalled.push(entry)
    })
    stalled.sort((a, b) => b.bytes - a.bytes)
    // A connection frees its memory as it closes; some transports say so later.
    const before = this.bytes
    let freed = 0
    for (const entry of stalled) {
      if (!this.#isShortFor(entry) || before - freed < entry.limits.maxBufferedBytes * COMMON_SHARE) break
      freed += entry.bytes
      this.#closed++
      entry.destroy()
    }
    if (!isShort) return
    this.#timer = setTimeout(this.#look, LOOK_MS)
    this.#timer.unref()
  }
}

/** There is one heap, and so one ledger, of all servers of the process. */
export const bufferLedger: BufferLedger = new BufferLedger()
