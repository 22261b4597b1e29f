// A thread that answers requests with one application, for a turn each time it is told to.
import { parentPort, workerData } from 'node:worker_threads'
import { APPLICATIONS, WORKS } from './applications.ts'
import { perSecond } from './measure.ts'

const { name, work } = workerData as { readonly name: string; readonly work: string }
const found = WORKS.find((each) => each.name === work)
const request = found === undefined ? undefined : await APPLICATIONS[name]?.(found)
if (request === undefined) throw new Error(`There is no '${name}' for '${work}'`)

parentPort?.on('message', (durationMs: number) => void turn(durationMs))

async function turn(durationMs: number): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread, and no window
  if (request !== undefined) parentPort?.postMessage(await perSecond(request, durationMs))
}
