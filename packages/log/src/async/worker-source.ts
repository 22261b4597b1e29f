// Made by scripts/embed-worker.ts from drain.ts and worker.ts.
export const WORKER_SOURCE = `'use strict'
const Word = {
  Head: 0,
  Tail: 1,
  Lock: 2,
  State: 3,
  Stop: 4,
  Flushing: 5,
  Fd: 6,
  Errno: 7,
  Failures: 8,
  ThreadId: 9,
  ReaderGone: 10,
}
const State = { Starting: 0, Running: 1, Idle: 2, Gathering: 3 }
function drainSome(
  { words, bytes, maxWriteBytes }            ,
  writevSync                                             ,
)         {
  const tail = Atomics.load(words, Word.Tail)
  const available = (Atomics.load(words, Word.Head) - tail) | 0
  if (available === 0) return 0
  const mask = bytes.length - 1
  const start = tail & mask
  let length = available
  if (length > maxWriteBytes) {
    length = maxWriteBytes
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
    written = writevSync(fd, views)
    words[Word.Tail] = tail + written
  } catch (error) {
    const { code } = error
    if (code === 'EPIPE') {
      Atomics.store(words, Word.ReaderGone, 1)
      Atomics.store(words, Word.Tail, Atomics.load(words, Word.Head))
    }
    if (code !== 'EAGAIN' && code !== 'EINTR') throw error
  }
  Atomics.notify(words, Word.Tail)
  return written
}
function lock(words            , timeoutMs        )          {
  for (;;) {
    if (Atomics.compareExchange(words, Word.Lock, 0, 1) === 0) return true
    if (Atomics.compareExchange(words, Word.Lock, 1, 2) === 0) continue
    if (Atomics.wait(words, Word.Lock, 2, timeoutMs) === 'timed-out') return false
    if (Atomics.compareExchange(words, Word.Lock, 0, 2) === 0) return true
  }
}
function unlock(words            )       {
  if (Atomics.exchange(words, Word.Lock, 0) === 2) Atomics.notify(words, Word.Lock, 1)
}
const { readlinkSync, writevSync } = process.getBuiltinModule('node:fs')
const { workerData } = process.getBuiltinModule('node:worker_threads')
const input = workerData
const { words, bytes, flushIntervalMs } = input
const RETRY_MS = 100
try {
  Atomics.store(words, Word.ThreadId, Number(readlinkSync('/proc/thread-self').split('/')[2]))
} catch {
}
while (Atomics.load(words, Word.Stop) === 0) {
  if (used() === 0) gather()
  else {
    if (Atomics.load(words, Word.Flushing) === 1) Atomics.wait(words, Word.Flushing, 1, 1000)
    const pauseMs = writeSome()
    if (pauseMs > 0) Atomics.wait(words, Word.Stop, 0, pauseMs)
  }
}
function used()         {
  return (Atomics.load(words, Word.Head) - Atomics.load(words, Word.Tail)) | 0
}
function gather()       {
  Atomics.store(words, Word.State, State.Idle)
  if (used() === 0 && Atomics.load(words, Word.Stop) === 0) Atomics.wait(words, Word.State, State.Idle)
  Atomics.store(words, Word.State, State.Gathering)
  if (flushIntervalMs > 0 && used() <= bytes.length >> 2 && Atomics.load(words, Word.Stop) === 0) {
    Atomics.wait(words, Word.State, State.Gathering, flushIntervalMs)
  }
  Atomics.store(words, Word.State, State.Running)
}
function writeSome()         {
  if (!lock(words, RETRY_MS)) return 0
  try {
    return drainSome(input, writevSync) === 0 && used() !== 0 ? 1 : 0
  } catch (error) {
    Atomics.store(words, Word.Errno, (error                         ).errno ?? 0)
    Atomics.add(words, Word.Failures, 1)
    return RETRY_MS
  } finally {
    unlock(words)
  }
}`
