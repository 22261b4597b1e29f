/*
 * The consuming half of the queue. It normally runs on the writer thread. The application's thread runs it to write a record
 * before a call returns, or after the writer thread has ended. It has no imports, because its source becomes part of the
 * thread's source text.
 */

/** A ring buffer in shared memory, and the words that synchronize its threads. */
export interface SharedRing {
  /** The state that the threads share. See `Word`. */
  readonly words: Int32Array
  /** Complete lines, each with its line break. The length is a power of two. */
  readonly bytes: Uint8Array
  /** The maximum number of bytes in one write, unless a single line is longer. Each write ends with a complete line. */
  readonly maxWriteBytes: number
}

/** Indexes into `words`. Positions count bytes since the start and wrap at 2 ** 32. */
export const Word = {
  /** The position after the last byte that was added. */
  Head: 0,
  /** The position of the first byte that is not yet written. */
  Tail: 1,
  /** 0: free; 1: held; 2: held while another thread is waiting for it. The thread that holds the lock writes. */
  Lock: 2,
  /** The state of the writer thread. See `State`. */
  State: 3,
  /** 1: the writer thread must end as soon as it can. */
  Stop: 4,
  /** 1: the application's thread is waiting for the lock. The writer thread then pauses before its next write. */
  Flushing: 5,
  /** The file descriptor to write to. */
  Fd: 6,
  /** The `errno` of the last failed write; negative. */
  Errno: 7,
  /** The number of failed writes. */
  Failures: 8,
  /** The operating system's ID of the writer thread; 0 if it is unknown. */
  ThreadId: 9,
  /** 1: the reader of the pipe has closed it. Later lines are discarded. */
  ReaderGone: 10,
} as const

/** The values of `Word.State`. The writer thread sleeps in `Idle`, and waits for more lines in `Gathering`. */
export const State = { Starting: 0, Running: 1, Idle: 2, Gathering: 3 } as const

/**
 * Writes bytes from the ring, in one system call. The caller must hold the lock.
 *
 * @returns The number of bytes removed from the ring; 0 if the ring was empty or a pipe was full
 * @throws {Error} from `fs.writevSync`. Unwritten bytes remain in the ring, except after EPIPE, which discards them
 */
export function drainSome(
  { words, bytes, maxWriteBytes }: SharedRing,
  writevSync: (fd: number, views: Uint8Array[]) => number,
): number {
  const tail = Atomics.load(words, Word.Tail)
  const available = (Atomics.load(words, Word.Head) - tail) | 0
  if (available === 0) return 0
  const mask = bytes.length - 1
  const start = tail & mask
  let length = available
  if (length > maxWriteBytes) {
    length = maxWriteBytes
    // Several processes can append to one file or pipe, so a write must not end within a line.
    while (length > 0 && bytes[(start + length - 1) & mask] !== 10) length--
    if (length === 0) {
      length = maxWriteBytes
      while (length < available && bytes[(start + length - 1) & mask] !== 10) length++
    }
  }
  const end = start + length
  const views =
    end <= bytes.length ? [bytes.subarray(start, end)] : [bytes.subarray(start), bytes.subarray(0, end - bytes.length)]
  let written = 0
  try {
    const fd = Atomics.load(words, Word.Fd)
    // V8 terminates a thread only at the start of a function or a loop iteration. Therefore, no function call may come between
    // the system call and the update of the tail. `Atomics.store` is a function call, and `fs.writeSync` makes one after its
    // system call.
    written = writevSync(fd, views)
    words[Word.Tail] = tail + written
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EPIPE') {
      // This pipe can never be read again.
      Atomics.store(words, Word.ReaderGone, 1)
      Atomics.store(words, Word.Tail, Atomics.load(words, Word.Head))
    }
    if (code !== 'EAGAIN' && code !== 'EINTR') throw error
  }
  Atomics.notify(words, Word.Tail)
  return written
}

/** Acquires the lock. @returns False if the wait for its holder exceeded `timeoutMs` milliseconds */
export function lock(words: Int32Array, timeoutMs: number): boolean {
  for (;;) {
    if (Atomics.compareExchange(words, Word.Lock, 0, 1) === 0) return true
    if (Atomics.compareExchange(words, Word.Lock, 1, 2) === 0) continue
    if (Atomics.wait(words, Word.Lock, 2, timeoutMs) === 'timed-out') return false
    // Other threads can still be waiting. State 2 makes `unlock` wake the next thread.
    if (Atomics.compareExchange(words, Word.Lock, 0, 2) === 0) return true
  }
}

/** Releases the lock, and wakes one waiting thread. */
export function unlock(words: Int32Array): void {
  if (Atomics.exchange(words, Word.Lock, 0) === 2) Atomics.notify(words, Word.Lock, 1)
}
