import { setTimeout as delay } from 'node:timers/promises'
import { heapOf } from '../memory/measure-allocation.ts'
import type { ServerProcess } from '../server-process.ts'

/** What a server holds at a moment. */
export interface Sample {
  /** Since the load began. */
  readonly seconds: number
  readonly heapMib: number
  readonly rssMib: number
  /** Sockets, timers and what else keeps the process alive. */
  readonly handles: number
  readonly openFiles: number
}

const MIB = 2 ** 20

/** Looks at a server once a second until `signal` is aborted. */
export async function sampleUntil(server: ServerProcess, signal: AbortSignal): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const started = performance.now()
  while (!signal.aborted) {
    const [{ usedBytes, handles }, { rssBytes, openFiles }] = [await heapOf(server), await server.usage()]
    const seconds = (performance.now() - started) / 1000
    samples.push({ seconds, heapMib: usedBytes / MIB, rssMib: rssBytes / MIB, handles, openFiles })
    await delay(1000, undefined, { signal }).catch(() => {
      // It was aborted: no more samples.
    })
  }
  return samples
}
