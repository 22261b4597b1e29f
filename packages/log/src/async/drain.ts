/*
 * The half of the queue that takes bytes out. The writer thread runs it, and the application's thread where a record
 * must be written before a call returns, or when there is no writer thread any more. Without imports, as it goes into
 * the source text of the thread.
 */

/** A ring of bytes in shared memory, and the words that the threads agree by. */
export interface SharedRing {
  /** See `Word`. */
  readonly words: Int32Array
  /** Whole lines, each with its line break. The length is a power of two. */
  readonly bytes: Uint8Array
  /** Most bytes in one write, unless a single line is longer. A write ends where a line ends. */
  readonly mostAtOnce: number
}

/** Indexes of `words`. Positions count bytes since the start and wrap at 2 ** 32. */
export const Word = {
  /** Position after the last byte put in. */
  Head: 0,
  /** Position of the first byte not yet written. */
  Tail: 1,
  /** 0 free, 1 held, 2 held and waited for. Whoever holds it writes. */
  Lock: 2,
  /** What the writer thread does; see `State`. */
  State: 3,
  /** 1: the writer thread ends as soon as it can. */
  Stop: 4,
  /** 1: the application's thread wants the lock, so the writer thread steps aside. */
  Flushing: 5,
  /** File descriptor to write to. */
  Fd: 6,
  /** `errno` of the last failed write, negative. */
  Errno: 7,
  /** Number of failed writes. */
  Failures: 8,
  /** The system's id of the writer thread where it can be found, else 0. */
  ThreadId: 9,
  /** 1: the reader of the pipe has gone, and what is put in is thrown away. */
  ReaderGone: 10,
} as const

export const State = { Starting: 0, Running: 1, Idle: 2, Gathering: 3 } as const

/**
 * Writes some of the bytes in the ring. The caller holds the lock.
 *
 * @returns Bytes taken out; 0 if there were none, or if a pipe was full
 * @throws {Error} as of `fs.writevSync`; what was not written stays in the ring
 */
export function drainSome(
  { words, bytes, mostAtOnce }: SharedRing,
  writevSync: (fd: number, views: Uint8Array[]) => number,
): number {
  const tail = Atomics.load(words, Word.Tail)
  const available = (Atomics.load(words, Word.Head) - tail) | 0
  if (available === 0) return 0
  const mask = bytes.length - 1
  const start = tail & mask
  let length = available
  if (length > mostAtOnce) {
    length = mostAtOnce
    // Several processes may append to one file or pipe: a write must not end within a line.
    while (length > 0 && bytes[(start + length - 1) & mask] !== 10) length--
    if (length === 0) {
      length = mostAtOnce
      while (length < available && bytes[(start + length - 1) & mask] !== 10) length++
    }
  }
  const end = start + length
  const views =
    end <= bytes.length ? [bytes.subarray(start, end)] : [bytes.subarray(start), bytes.subarray(0, end - bytes.length)]
  let written = 0
  try {
    const fd = Atomics.load(words, Word.Fd)
    // A thread is terminated where a function begins or a loop repeats, so what follows the system call without any
    // call is done with it. `Atomics.store` is one, and so does `fs.writeSync` make one after its system call.
    written = writevSync(fd, views)
    words[Word.Tail] = tail + written
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EPIPE') {
      // Nobody will ever read what follows.
      Atomics.store(words, Word.ReaderGone, 1)
      Atomics.store(words, Word.Tail, Atomics.load(words, Word.Head))
    }
    if (code !== 'EAGAIN' && code !== 'EINTR') throw error
  }
  Atomics.notify(words, Word.Tail)
  return written
}

/** @param timeoutMs Wait no longer. @returns Whether the lock is held now */
export function lock(words: Int32Array, timeoutMs: number): boolean {
  for (;;) {
    if (Atomics.compareExchange(words, Word.Lock, 0, 1) === 0) return true
    if (Atomics.compareExchange(words, Word.Lock, 1, 2) === 0) continue
    if (Atomics.wait(words, Word.Lock, 2, timeoutMs) === 'timed-out') return false
    // Others may wait too, so whoever wakes passes that on.
    if (Atomics.compareExchange(words, Word.Lock, 0, 2) === 0) return true
  }
}

export function unlock(words: Int32Array): void {
  if (Atomics.exchange(words, Word.Lock, 0) === 2) Atomics.notify(words, Word.Lock, 1)
}
