import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { Word } from '../src/async/drain.ts'
import { WORKER_SOURCE } from '../src/async/worker-source.ts'
import type { WorkerInput } from '../src/async/worker.ts'
import { temporaryDirectory } from './run-script.ts'

const LINES = 5000

/** Kills a writer thread while it writes. @returns Octets that it says it has written, and those in the file */
async function killed(path: string): Promise<{ noted: number; written: number }> {
  const fd = openSync(path, 'w')
  const words = new Int32Array(new SharedArrayBuffer(Object.keys(Word).length * Int32Array.BYTES_PER_ELEMENT))
  const bytes = new Uint8Array(new SharedArrayBuffer(2 ** 19))
  bytes.set(Buffer.from(`${'x'.repeat(99)}\n`.repeat(LINES)))
  words[Word.Fd] = fd
  words[Word.Head] = LINES * 100
  const workerData: WorkerInput = { words, bytes, mostAtOnce: 200, flushIntervalMs: 0 }
  const thread = new Worker(WORKER_SOURCE, { eval: true, workerData, execArgv: [], trackUnmanagedFds: false })
  while (Atomics.load(words, Word.Tail) === 0) await sleep(1)
  await thread.terminate()
  const noted = Atomics.load(words, Word.Tail)
  const written = fstatSync(fd).size
  closeSync(fd)
  return { noted, written }
}

it('a writer thread that is killed has noted exactly what it has written', async () => {
  const path = join(temporaryDirectory(), 'app.log')
  let interrupted = 0
  for (let trial = 0; trial < 40; trial++) {
    const { noted, written } = await killed(path)
    expect(noted).toBe(written)
    if (noted < LINES * 100) interrupted++
  }
  expect(interrupted).toBeGreaterThan(0)
})
