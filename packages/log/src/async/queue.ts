import { existsSync, writevSync } from 'node:fs'
import type { LineBuffer } from '../text/line-buffer.ts'
import { drainSome, lock, type SharedRing, State, unlock, Word } from './drain.ts'

/** Memory that is never written. Waiting on it is the only way to sleep in synchronous code. */
const NAP = new Int32Array(new SharedArrayBuffer(4))

/** The milliseconds to wait for the lock before checking whether the writer thread is still alive. */
const ALIVE_CHECK_MS = 100

/**
 * A bounded first-in, first-out queue of lines in shared memory. One thread adds lines. Either that thread or the
 * writer thread holds the lock and writes them to a file descriptor.
 */
export class Queue {
  readonly ring: SharedRing
  #head = 0
  /** A past value of the tail. The queue has at least as much room as this value implies. */
  #tail = 0
  /** An upper bound on the number of records that are not yet written. */
  #records = 0
  /** The position after each added batch, and its number of records. Batches before `#first` are written. */
  readonly #ends: number[] = []
  readonly #counts: number[] = []
  #first = 0
  #threadEnded = false

  /** @param bytes The capacity in bytes, a power of two. @param maxWriteBytes See `SharedRing` */
  constructor(fd: number, bytes: number, maxWriteBytes: number) {
    const words = new Int32Array(new SharedArrayBuffer(Object.keys(Word).length * Int32Array.BYTES_PER_ELEMENT))
    this.ring = { words, bytes: new Uint8Array(new SharedArrayBuffer(bytes)), maxWriteBytes }
    Atomics.store(words, Word.Fd, fd)
  }

  get capacity(): number {
    return this.ring.bytes.length
  }

  get isEmpty(): boolean {
    return Atomics.load(this.ring.words, Word.Tail) === this.#head
  }

  get readerHasGone(): boolean {
    return Atomics.load(this.ring.words, Word.ReaderGone) === 1
  }

  /** An upper bound on the number of records in the queue. `countRecords` returns the exact number. */
  get recordsAtMost(): number {
    return this.#records
  }

  /** Returns the number of records in the queue. */
  countRecords(): number {
    this.#tail = Atomics.load(this.ring.words, Word.Tail)
    while (this.#first < this.#ends.length && ((this.#tail - (this.#ends[this.#first] ?? 0)) | 0) >= 0) {
      this.#records -= this.#counts[this.#first++] ?? 0
    }
    // Remove written batches in groups, because shifting the array after each batch would cost more than the memory is worth.
    if (this.#first === this.#ends.length || this.#first > 1024) {
      this.#ends.splice(0, this.#first)
      this.#counts.splice(0, this.#first)
      this.#first = 0
    }
    return this.#records
  }

  /**
   * Adds complete lines to the queue.
   *
   * @param records The number of lines
   * @returns False if the queue does not have enough room; it is then unchanged
   */
  push({ bytes, length }: LineBuffer, records: number): boolean {
    const target = this.ring.bytes
    const size = target.length
    const at = this.#head & (size - 1)
    if (size - ((this.#head - this.#tail) | 0) < length) this.#tail = Atomics.load(this.ring.words, Word.Tail)
    if (length > size - ((this.#head - this.#tail) | 0)) return false
    const fitting = Math.min(length, size - at)
    target.set(bytes.subarray(0, fitting), at)
    if (fitting < length) target.set(bytes.subarray(fitting, length), 0)
    this.#head = (this.#head + length) | 0
    Atomics.store(this.ring.words, Word.Head, this.#head)
    this.#ends.push(this.#head)
    this.#counts.push(records)
    this.#records += records
    if (this.#ends.length - this.#first > 64) this.countRecords()
    this.#wake(((this.#head - this.#tail) | 0) > size >> 2)
    return true
  }

  /** Wakes the writer thread if it is sleeping. @param urgent Wakes it even while it is waiting for more lines */
  #wake(urgent: boolean): void {
    const state = Atomics.load(this.ring.words, Word.State)
    if (state === State.Idle || (urgent && state === State.Gathering)) this.wake()
  }

  /** Makes the writer thread write immediately. */
  wake(): void {
    Atomics.store(this.ring.words, Word.State, State.Running)
    Atomics.notify(this.ring.words, Word.State)
  }

  /**
   * Writes once, or waits for a write by the writer thread.
   *
   * @throws {Error} from `fs.writevSync`
   */
  writeSome(): void {
    const { words } = this.ring
    const tail = Atomics.load(words, Word.Tail)
    if (tail === this.#head) return
    if (Atomics.compareExchange(words, Word.Lock, 0, 1) !== 0) {
      this.wake()
      if (Atomics.wait(words, Word.Tail, tail, ALIVE_CHECK_MS) === 'timed-out' && !this.#isThreadAlive()) unlock(words)
      return
    }
    try {
      if (drainSome(this.ring, writevSync) === 0) Atomics.wait(NAP, 0, 0, 1)
    } finally {
      unlock(words)
    }
  }

  /** Writes once, unless the writer thread is writing. Never waits. @throws {Error} from `fs.writevSync` */
  writeWithoutWaiting(): void {
    const { words } = this.ring
    if (Atomics.compareExchange(words, Word.Lock, 0, 1) !== 0) return
    try {
      drainSome(this.ring, writevSync)
    } finally {
      unlock(words)
    }
  }

  /**
   * Writes all lines in the queue, then runs an action. The writer thread does not use the file descriptor during either.
   *
   * @throws {Error} from `fs.writevSync` or the action; unwritten lines remain in the queue
   */
  drained(action: () => void): void {
    this.#locked(() => {
      while (!this.isEmpty) if (drainSome(this.ring, writevSync) === 0) Atomics.wait(NAP, 0, 0, 1)
      action()
    })
  }

  /** Runs `action` while the writer thread is not writing. */
  #locked(action: () => void): void {
    const { words } = this.ring
    Atomics.store(words, Word.Flushing, 1)
    try {
      while (!lock(words, ALIVE_CHECK_MS)) if (!this.#isThreadAlive()) unlock(words)
      try {
        action()
      } finally {
        unlock(words)
      }
    } finally {
      Atomics.store(words, Word.Flushing, 0)
      Atomics.notify(words, Word.Flushing)
    }
  }

  /** Sets the file descriptor. Call it only in the action passed to `drained`. */
  set fd(fd: number) {
    Atomics.store(this.ring.words, Word.Fd, fd)
  }

  /** The number of failed writes by the writer thread, and the negative `errno` of the last one. */
  get failures(): { readonly count: number; readonly errno: number } {
    const { words } = this.ring
    return { count: Atomics.load(words, Word.Failures), errno: Atomics.load(words, Word.Errno) }
  }

  /** Ends the writer thread, which then no longer uses the file descriptor. Discards the lines in the queue. */
  stop(): void {
    const { words } = this.ring
    this.#locked(() => Atomics.store(words, Word.Tail, this.#head))
    Atomics.store(words, Word.Stop, 1)
    Atomics.notify(words, Word.Stop)
    this.wake()
  }

  /** Records that the writer thread has ended, and releases the lock if the thread held it. */
  threadEnded(): void {
    this.#threadEnded = true
    unlock(this.ring.words)
  }

  /** Reports whether the writer thread is alive. Its 'exit' event cannot arrive while this thread is waiting. */
  #isThreadAlive(): boolean {
    if (this.#threadEnded) return false
    const id = Atomics.load(this.ring.words, Word.ThreadId)
    return id === 0 || existsSync(`/proc/self/task/${id}`)
  }
}
