/*
 * The writer thread. Its source text is in `worker-source.ts`, so that it needs no file beside a bundle;
 * `node scripts/embed-worker.ts` renews that. Built-in modules come by `getBuiltinModule`, as the text is no module.
 */
import { drainSome, lock, type SharedRing, State, unlock, Word } from './drain.ts'

/** What the thread is started with. */
export interface WorkerInput extends SharedRing {
  /** How long lines are gathered for one write, in milliseconds. */
  readonly flushIntervalMs: number
}

const { readlinkSync, writevSync } = process.getBuiltinModule('node:fs')
const { workerData } = process.getBuiltinModule('node:worker_threads')
const input = workerData as WorkerInput
const { words, bytes, flushIntervalMs } = input

/** A failing disk is tried again this often. */
const RETRY_MS = 100

try {
  // "<process>/task/<thread>"
  Atomics.store(words, Word.ThreadId, Number(readlinkSync('/proc/thread-self').split('/')[2]))
} catch {
  // No Linux; death of this thread is then noticed later.
}

while (Atomics.load(words, Word.Stop) === 0) {
  if (used() === 0) gather()
  else {
    // The application's thread is about to write; it must not wait for more than the present write.
    if (Atomics.load(words, Word.Flushing) === 1) Atomics.wait(words, Word.Flushing, 1, 1000)
    const pauseMs = writeSome()
    if (pauseMs > 0) Atomics.wait(words, Word.Stop, 0, pauseMs)
  }
}

function used(): number {
  return (Atomics.load(words, Word.Head) - Atomics.load(words, Word.Tail)) | 0
}

/** Sleeps until there is something to write, and then while it is little and the interval lasts. */
function gather(): void {
  Atomics.store(words, Word.State, State.Idle)
  if (used() === 0 && Atomics.load(words, Word.Stop) === 0) Atomics.wait(words, Word.State, State.Idle)
  Atomics.store(words, Word.State, State.Gathering)
  if (flushIntervalMs > 0 && used() <= bytes.length >> 2 && Atomics.load(words, Word.Stop) === 0) {
    Atomics.wait(words, Word.State, State.Gathering, flushIntervalMs)
  }
  Atomics.store(words, Word.State, State.Running)
}

/** @returns How long to wait before the next attempt, in milliseconds */
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
