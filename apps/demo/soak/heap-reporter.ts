// Preloaded into the measured server. Replies to "measure" with the heap size after a garbage collection and the CPU time.
import { isMainThread } from 'node:worker_threads'

/** Memory and CPU time of a process. */
export interface ProcessNumbers {
  readonly heapBytes: number
  readonly rssBytes: number
  /** CPU time of all threads since the process started, in microseconds. */
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
