// Preloaded into the measured server: answers "measure" with its heap after a collection, and with its CPU time.
import { isMainThread } from 'node:worker_threads'

/** Memory and CPU time of a process. */
export interface ProcessNumbers {
  readonly heapBytes: number
  readonly rssBytes: number
  /** Microseconds of CPU time of all threads since the start. */
  readonly cpuUs: number
}

if (isMainThread) {
  process.on('message', (message) => {
    if (message !== 'measure') return
    globalThis.gc?.()
    const { heapUsed: heapBytes, rss: rssBytes } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    process.send?.({ heapBytes, rssBytes, cpuUs: user + system } satisfies ProcessNumbers)
  })
}
