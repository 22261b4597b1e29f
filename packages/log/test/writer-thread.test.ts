import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { Word } from '../src/async/drain.ts'
import { WORKER_SOURCE } from '../src/async/worker-source.ts'
import type { WorkerInput } from '../src/async/worker.ts'
import { temporaryDirectory } from './run-script.ts'

/** The bytes of a line. */
const LINE_BYTES = 100
const MAX_LINES = 2 ** 18

/**
 * Terminates a writer thread while it is writing lines. @returns The number of bytes that it recorded as written, and the
 * number in the file
 */
async function killed(path: string, lines: number): Promise<{ noted: number; written: number }> {
  const fd = openSync(path, 'w')
  const words = new Int32Array(new SharedArrayBuffer(Object.keys(Word).length * Int32Array.BYTES_PER_ELEMENT))
  const bytes = new Uint8Array(new SharedArrayBuffer(2 * lines * LINE_BYTES))
  bytes.set(Buffer.from(`${'x'.repeat(LINE_BYTES - 1)}\n`.repeat(lines)))
  words[Word.Fd] = fd
  words[Word.Head] = lines * LINE_BYTES
  const workerData: WorkerInput = { words, bytes, maxWriteBytes: 200, flushIntervalMs: 0 }
  const thread = new Worker(WORKER_SOURCE, { eval: true, workerData, execArgv: [], trackUnmanagedFds: false })
  while (Atomics.load(words, Word.Tail) === 0) await sleep(1)
  await thread.terminate()
  const noted = Atomics.load(words, Word.Tail)
  const written = fstatSync(fd).size
  closeSync(fd)
  return { noted, written }
}

it('counts the written bytes exactly when the writer thread is terminated', async () => {
  const path = join(temporaryDirectory(), 'app.log')
  let interrupted = 0
  let lines = 4096
  for (let trial = 0; trial < 40 || interrupted === 0; trial++) {
    const { noted, written } = await killed(path, lines)
    expect(noted).toBe(written)
    if (noted < lines * LINE_BYTES) interrupted++
    // The writer thread can finish before this thread terminates it.
    else if (lines < MAX_LINES) lines *= 2
  }
})
