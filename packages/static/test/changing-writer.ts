// Changes files continuously in a worker thread. Shared memory contains the last complete generation of each file.
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { CHANGING_FILES, contentOf, generationOf, GROWTH_BYTES, lengthOf, type ChangingFile } from './generations.ts'

/** Data that the thread receives when it starts. */
export interface ChangingWork {
  readonly directory: string
  /** The last complete generation of each file. */
  readonly complete: SharedArrayBuffer
}

const PAUSE_MS = 2
const { directory, complete } = workerData as ChangingWork
const generations = new Int32Array(complete)
const clock = new Int32Array(new SharedArrayBuffer(4))

function pause(ms: number): void {
  Atomics.wait(clock, 0, 0, ms)
}

function replace(path: string, content: Uint8Array): void {
  writeFileSync(`${path}.next`, content)
  renameSync(`${path}.next`, path)
}

/** Writes the next generation of a file in the way that its kind specifies. */
function change(file: ChangingFile, generation: number): void {
  const path = join(directory, file.name)
  const content = contentOf(generation, lengthOf(file, generation))
  switch (file.kind) {
    case 'renamed':
      replace(path, content)
      break
    case 'linked': {
      const target = `${file.name}-${generation}`
      writeFileSync(join(directory, target), content)
      symlinkSync(target, `${path}.next`)
      renameSync(`${path}.next`, path)
      rmSync(join(directory, `${file.name}-${generation - 1}`), { force: true })
      break
    }
    case 'deleted':
      rmSync(path, { force: true })
      pause(PAUSE_MS)
      replace(path, content)
      break
    case 'rewritten':
      // The file is first empty, then grows.
      writeFileSync(path, content)
      break
    case 'truncated':
      replace(path, content)
      pause(PAUSE_MS)
      truncateSync(path, content.byteLength / 2)
      break
    case 'grown':
      replace(path, content)
      pause(PAUSE_MS)
      appendFileSync(path, contentOf(generation, content.byteLength + GROWTH_BYTES).subarray(content.byteLength))
      break
  }
}

mkdirSync(directory, { recursive: true })
if (generationOf(contentOf(1, 24), 0) !== 1) throw new Error('Content does not encode its generation')
for (let generation = 1; ; generation++) {
  for (const [index, file] of CHANGING_FILES.entries()) {
    change(file, generation)
    Atomics.store(generations, index, generation)
    if (generation > 1) pause(PAUSE_MS)
  }
}
