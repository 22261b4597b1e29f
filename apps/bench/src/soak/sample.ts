import { setTimeout as delay } from 'node:timers/promises'
import { heapOf } from '../memory/measure-allocation.ts'
import type { ServerProcess } from '../server-process.ts'

/** Resource usage of a server at one moment. */
export interface Sample {
  /** Time since the start of the load. */
  readonly seconds: number
  readonly heapMib: number
  readonly rssMib: number
  /** Number of active resources that keep the process alive, such as sockets and timers. */
  readonly handles: number
  readonly openFiles: number
}

const MIB = 2 ** 20

/** Samples a server once per second until `signal` aborts. */
export async function sampleUntil(server: ServerProcess, signal: AbortSignal): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const started = performance.now()
  while (!signal.aborted) {
    const [{ usedBytes, handles }, { rssBytes, openFiles }] = [await heapOf(server), await server.usage()]
    const seconds = (performance.now() - started) / 1000
    samples.push({ seconds, heapMib: usedBytes / MIB, rssMib: rssBytes / MIB, handles, openFiles })
    await delay(1000, undefined, { signal }).catch(() => {
      // The signal has been aborted, so take no more samples.
    })
  }
  return samples
}
