import { existsSync, writevSync } from 'node:fs'
import type { LineBuffer } from '../text/line-buffer.ts'
import { drainSome, lock, type SharedRing, State, unlock, Word } from './drain.ts'

/** Never written to: waiting on it is the one way to sleep in synchronous code. */
const NAP = new Int32Array(new SharedArrayBuffer(4))

/** How long to wait for the holder of the lock before asking whether it is still alive. */
const ALIVE_CHECK_MS = 100

/**
 * A bounded first-in first-out queue of lines in shared memory: one thread puts in, and whoever holds the lock, the
 * writer thread or the one that puts in, writes to a file descriptor.
 */
export class Queue {
  readonly ring: SharedRing
  #head = 0
  /** A tail that was true once: there is at least as much room as it says. */
  #tail = 0
  /** Records not yet written, at most. */
  #records = 0
  /** Position after each batch that was put in, and its number of records; those before `#first` are written. */
  readonly #ends: number[] = []
  readonly #counts: number[] = []
  #first = 0
  #threadEnded = false

  /** @param bytes Capacity in bytes, a power of two. @param mostAtOnce See `SharedRing` */
  constructor(fd: number, bytes: number, mostAtOnce: number) {
    const words = new Int32Array(new SharedArrayBuffer(Object.keys(Word).length * Int32Array.BYTES_PER_ELEMENT))
    this.ring = { words, bytes: new Uint8Array(new SharedArrayBuffer(bytes)), mostAtOnce }
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

  /** Most records that may still be in the queue; `countRecords` tells exactly. */
  get recordsAtMost(): number {
    return this.#records
  }

  /** Records in the queue. */
  countRecords(): number {
    this.#tail = Atomics.load(this.ring.words, Word.Tail)
    while (this.#first < this.#ends.length && ((this.#tail - (this.#ends[this.#first] ?? 0)) | 0) >= 0) {
      this.#records -= this.#counts[this.#first++] ?? 0
    }
    // Cut off in bunches: moving the rest each time would cost more than the little memory.
    if (this.#first === this.#ends.length || this.#first > 1024) {
      this.#ends.splice(0, this.#first)
      this.#counts.splice(0, this.#first)
      this.#first = 0
    }
    return this.#records
  }

  /**
   * Puts in whole lines.
   *
   * @param records Their number
   * @returns False if there is no room; nothing was put in then
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

  /** Wakes the writer thread. @param urgent Also while it gathers lines */
  #wake(urgent: boolean): void {
    const state = Atomics.load(this.ring.words, Word.State)
    if (state === State.Idle || (urgent && state === State.Gathering)) this.wake()
  }

  /** Makes the writer thread write now. */
  wake(): void {
    Atomics.store(this.ring.words, Word.State, State.Running)
    Atomics.notify(this.ring.words, Word.State)
  }

  /**
   * Lets one write happen, by this thread or by the writer thread.
   *
   * @throws {Error} as of `fs.writevSync`
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

  /** Writes a part without ever waiting: nothing if the writer thread is writing. @throws {Error} as of `fs.writevSync` */
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
   * Writes everything in the queue, then runs an action that may use the file descriptor, while the writer thread
   * does neither.
   *
   * @throws {Error} as of `fs.writevSync`, or what the action throws; what was not written stays in the queue
   */
  drained(action: () => void): void {
    this.#locked(() => {
      while (!this.isEmpty) if (drainSome(this.ring, writevSync) === 0) Atomics.wait(NAP, 0, 0, 1)
      action()
    })
  }

  /** Runs an action while the writer thread does not write. */
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

  /** Changes the file descriptor. Only for the action of `drained`. */
  set fd(fd: number) {
    Atomics.store(this.ring.words, Word.Fd, fd)
  }

  /** Failed writes of the writer thread so far, and `errno` of the last, negative. */
  get failures(): { readonly count: number; readonly errno: number } {
    const { words } = this.ring
    return { count: Atomics.load(words, Word.Failures), errno: Atomics.load(words, Word.Errno) }
  }

  /** Makes the writer thread end. It does not touch the file descriptor after this; what is in the queue is lost. */
  stop(): void {
    const { words } = this.ring
    this.#locked(() => Atomics.store(words, Word.Tail, this.#head))
    Atomics.store(words, Word.Stop, 1)
    Atomics.notify(words, Word.Stop)
    this.wake()
  }

  /** The writer thread is known to have ended; if it held the lock, nobody does now. */
  threadEnded(): void {
    this.#threadEnded = true
    unlock(this.ring.words)
  }

  /** The end of the thread becomes known by an event, which does not come while this thread waits. */
  #isThreadAlive(): boolean {
    if (this.#threadEnded) return false
    const id = Atomics.load(this.ring.words, Word.ThreadId)
    return id === 0 || existsSync(`/proc/self/task/${id}`)
  }
}
