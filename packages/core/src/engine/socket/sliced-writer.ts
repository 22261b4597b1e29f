import { ChunkQueue } from '../budget/chunk-queue.ts'
import { QueuedText } from '../budget/queued-text.ts'
import { turns, type TurnTaker } from '../event-loop/turns.ts'
import type { Transport } from '../transport.ts'

/**
 * Maximum size of one write, and of one share of work, in bytes. A stream buffers the whole slice for a client that is
 * not reading. Only a completed slice distinguishes a slow client from a dead one.
 */
const SLICE_BYTES = 64 * 1024
/**
 * Minimum size, in bytes, of a write that counts as work. Smaller writes, such as server-sent events, are spread over
 * minutes.
 */
const SMALL_BYTES = 4 * 1024

/** The connection that writes through a `SlicedWriter`. */
export interface WriterOwner {
  /** Continues writing as after `drain`, because it is the writer's turn again. */
  onWriteTurn(): void
}

/**
 * Writes any number of bytes in slices, without copying them. Each slice waits until the previous one is sent.
 *
 * Kernel buffers accept megabytes without blocking, so a thousand large responses would delay other connections by
 * seconds. Each slice therefore also waits for its turn.
 *
 * Output classes inherit from this class instead of containing it, so that a broadcast accesses one fewer object per
 * connection.
 */
export abstract class SlicedWriter implements TurnTaker {
  protected readonly transport: Transport
  readonly #owner: WriterOwner
  /** Waiting chunks. Most connections never need a queue. */
  #queue: ChunkQueue | undefined = undefined
  /** Bytes written in the current share of work. */
  #shareBytes = 0
  #isResting = false

  constructor(transport: Transport, owner: WriterOwner) {
    this.transport = transport
    this.#owner = owner
  }

  /** Bytes that have been written but not sent. */
  get bufferedBytes(): number {
    return this.transport.bufferedBytes + this.#queuedBytes
  }

  get #queuedBytes(): number {
    return this.#queue?.bytes ?? 0
  }

  /** Whether written bytes are waiting here, and not in the transport. */
  protected get hasQueued(): boolean {
    return this.#queuedBytes > 0
  }

  /** The queue; `undefined` until bytes have to wait. */
  protected get queue(): ChunkQueue | undefined {
    return this.#queue
  }

  /** Reports whether this number of bytes can be sent now in one write. */
  protected passes(byteLength: number): boolean {
    return byteLength <= SLICE_BYTES && !this.isBlocked
  }

  /** Whether the writer is waiting for its turn instead of the transport. */
  protected get isResting(): boolean {
    return this.#isResting
  }

  /** Whether the caller should wait before it writes more. */
  get isBlocked(): boolean {
    return this.#isResting || this.#queuedBytes > 0 || this.transport.isBlocked
  }

  /** Writes bytes, or queues them. @returns False if the caller should wait */
  protected write(bytes: Uint8Array): boolean {
    // A destroyed transport returns false, but the caller must not wait for it.
    if (this.passes(bytes.byteLength)) return this.#pass(bytes) || !this.isBlocked
    return this.#enqueue(bytes)
  }

  /** Writes text as UTF-8, encoded when it is sent. @param byteLength Length in UTF-8 bytes */
  protected writeUtf8(text: string, byteLength: number): boolean {
    return this.passes(byteLength) ? this.write(Buffer.from(text)) : this.#enqueue(new QueuedText(text, byteLength))
  }

  /** Writes text as Latin-1. */
  protected writeLatin1(text: string): void {
    // Encode text that must wait. A concatenated string keeps its parts in memory, which needs several times as many
    // bytes.
    if (this.bufferedBytes > 0) this.write(Buffer.from(text, 'latin1'))
    else this.transport.writeLatin1(text)
  }

  /** Writes queued bytes. Call it on `drain`. */
  protected pump(): void {
    const queue = this.#queue
    if (queue === undefined) return
    // The transport has sent all earlier slices, so their memory is free.
    if (!this.transport.isBlocked) queue.settle()
    while (!this.#isResting && !this.transport.isBlocked) {
      const slice = queue.take(SLICE_BYTES)
      if (slice === undefined) break
      this.#pass(slice)
    }
    if (!this.transport.isBlocked) queue.settle()
  }

  /** Discards queued bytes. */
  protected clear(): void {
    this.#queue?.clear()
  }

  onTurn(): void {
    this.#isResting = false
    this.#owner.onWriteTurn()
  }

  #enqueue(chunk: Uint8Array | QueuedText): boolean {
    ;(this.#queue ??= new ChunkQueue()).push(chunk)
    this.pump()
    return !this.isBlocked
  }

  /** Writes one slice. @returns False if the caller should wait, or if the transport is destroyed */
  #pass(slice: Uint8Array): boolean {
    const isWritable = this.transport.write(slice)
    if (slice.byteLength < SMALL_BYTES) return isWritable
    this.#shareBytes += slice.byteLength
    if (this.#shareBytes < SLICE_BYTES) return isWritable
    this.#shareBytes = 0
    this.#isResting = !turns.take(this)
    return isWritable && !this.#isResting
  }
}
