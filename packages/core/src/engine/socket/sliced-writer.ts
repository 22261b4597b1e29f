import { ChunkQueue } from '../budget/chunk-queue.ts'
import { QueuedText } from '../budget/queued-text.ts'
import { turns, type TurnTaker } from '../event-loop/turns.ts'
import type { Transport } from '../transport.ts'

/**
 * Bytes given to a stream at once, and a share of work. What a stream holds for a client that does not read is memory,
 * and only when a slice has been taken can a slow client be told from a dead one.
 */
const SLICE_BYTES = 64 * 1024
/** What is too little to be work: the events of a stream add up over minutes, not within a turn. */
const SMALL_BYTES = 4 * 1024

/** Who is told that a writer goes on. */
export interface WriterOwner {
  /** The writer's turn has come; to be treated like `drain`. */
  onWriteTurn(): void
}

/**
 * Writes bytes of any number to a stream in slices, each when the one before was taken. Nothing is copied.
 *
 * The buffers of the operating system take megabytes at once; a thousand large responses would hold everybody up for
 * seconds, so each slice waits for its turn.
 *
 * It is the base of what writes to a connection, and not a part of it: a broadcast touches one object less of each.
 */
export abstract class SlicedWriter implements TurnTaker {
  protected readonly transport: Transport
  readonly #owner: WriterOwner
  /** What waits; most streams never make anything wait. */
  #queue: ChunkQueue | undefined = undefined
  /** Bytes passed on of the current share of work. */
  #shareBytes = 0
  #isResting = false

  constructor(transport: Transport, owner: WriterOwner) {
    this.transport = transport
    this.#owner = owner
  }

  /** Bytes that the stream has not passed on. */
  get bufferedBytes(): number {
    return this.transport.bufferedBytes + this.#queuedBytes
  }

  get #queuedBytes(): number {
    return this.#queue?.bytes ?? 0
  }

  /** The queue, if anything ever had to wait. */
  protected get queue(): ChunkQueue | undefined {
    return this.#queue
  }

  /** Whether bytes of this number leave in one write. */
  protected passes(byteLength: number): boolean {
    return byteLength <= SLICE_BYTES && !this.isBlocked
  }

  /** Whether the next turn is waited for, and not the stream. */
  protected get isResting(): boolean {
    return this.#isResting
  }

  /** Whether a pause is wanted. */
  get isBlocked(): boolean {
    return this.#isResting || this.#queuedBytes > 0 || this.transport.isBlocked
  }

  /** @returns Whether no pause is wanted */
  protected write(bytes: Uint8Array): boolean {
    // A stream that was destroyed takes nothing and wants no pause either.
    if (this.passes(bytes.byteLength)) return this.#pass(bytes) || !this.isBlocked
    return this.#enqueue(bytes)
  }

  /** Writes text in UTF-8, encoded as it is taken. @param byteLength Its bytes */
  protected writeUtf8(text: string, byteLength: number): boolean {
    return this.passes(byteLength) ? this.write(Buffer.from(text)) : this.#enqueue(new QueuedText(text, byteLength))
  }

  /** Writes text, one byte a character. */
  protected writeLatin1(text: string): void {
    // Text that was put together of pieces keeps them all until it is read, several times its bytes.
    if (this.bufferedBytes > 0) this.write(Buffer.from(text, 'latin1'))
    else this.transport.writeLatin1(text)
  }

  /** To be called on `drain`: passes on what waits. */
  protected pump(): void {
    const queue = this.#queue
    if (queue === undefined) return
    // The memory of slices is free once the stream has read them.
    if (!this.transport.isBlocked) queue.settle()
    while (!this.#isResting && !this.transport.isBlocked) {
      const slice = queue.take(SLICE_BYTES)
      if (slice === undefined) break
      this.#pass(slice)
    }
    if (!this.transport.isBlocked) queue.settle()
  }

  /** Throws away what waits. */
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

  /** @returns `false` when a pause is wanted; `true` says nothing about a stream that was destroyed */
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
