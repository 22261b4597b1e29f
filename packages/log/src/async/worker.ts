/*
 * The writer thread. `worker-source.ts` contains its source text, so that a bundle needs no second file. Run
 * `node scripts/embed-worker.ts` to update that text. Loads built-in modules with `getBuiltinModule`, because the source text
 * is not a module.
 */
import { drainSome, lock, type SharedRing, State, unlock, Word } from './drain.ts'

/** The `workerData` of the thread. */
export interface WorkerInput extends SharedRing {
  /** The maximum time to collect lines for one write, in milliseconds. */
  readonly flushIntervalMs: number
}

const { readlinkSync, writevSync } = process.getBuiltinModule('node:fs')
const { workerData } = process.getBuiltinModule('node:worker_threads')
const input = workerData as WorkerInput
const { words, bytes, flushIntervalMs } = input

/** The milliseconds between two attempts after a failed write. */
const RETRY_MS = 100

try {
  // "<process>/task/<thread>"
  Atomics.store(words, Word.ThreadId, Number(readlinkSync('/proc/thread-self').split('/')[2]))
} catch {
  // Without procfs, the queue detects the end of this thread only by its 'exit' event.
}

while (Atomics.load(words, Word.Stop) === 0) {
  if (used() === 0) gather()
  else {
    // The application's thread is waiting to write. Pause, so that it waits only for the current write.
    if (Atomics.load(words, Word.Flushing) === 1) Atomics.wait(words, Word.Flushing, 1, 1000)
    const pauseMs = writeSome()
    if (pauseMs > 0) Atomics.wait(words, Word.Stop, 0, pauseMs)
  }
}

function used(): number {
  return (Atomics.load(words, Word.Head) - Atomics.load(words, Word.Tail)) | 0
}

/** Sleeps until a line is queued. Then waits up to `flushIntervalMs` for more, while at most a quarter of the ring is used. */
function gather(): void {
  Atomics.store(words, Word.State, State.Idle)
  if (used() === 0 && Atomics.load(words, Word.Stop) === 0) Atomics.wait(words, Word.State, State.Idle)
  Atomics.store(words, Word.State, State.Gathering)
  if (flushIntervalMs > 0 && used() <= bytes.length >> 2 && Atomics.load(words, Word.Stop) === 0) {
    Atomics.wait(words, Word.State, State.Gathering, flushIntervalMs)
  }
  Atomics.store(words, Word.State, State.Running)
}

/** Writes a batch of lines. @returns The milliseconds to wait before the next attempt */
function writeSome(): number {
  if (!lock(words, RETRY_MS)) return 0
  try {
    return drainSome(input, writevSync) === 0 && used() !== 0 ? 1 : 0
  } catch (error) {
    Atomics.store(words, Word.Errno, (error as NodeJS.ErrnoException).errno ?? 0)
    Atomics.add(words, Word.Failures, 1)
    return RETRY_MS
  } finally {
    unlock(words)
  }
}
