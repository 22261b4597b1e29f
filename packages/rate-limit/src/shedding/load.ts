import { getHeapStatistics } from 'node:v8'
import { DelayEstimate } from './delay-estimate.ts'

/** Milliseconds between two samples. A shorter interval would wake an idle process more often. */
const SAMPLE_MS = 50

/** Measures the load of this process, starting with construction. Does not keep the process alive. */
export class Load {
  readonly #delay = new DelayEstimate(SAMPLE_MS, performance.now())
  #heapBytes = 0

  constructor() {
    setInterval(() => {
      this.#delay.sample(performance.now())
      this.#heapBytes = getHeapStatistics().used_heap_size
    }, SAMPLE_MS).unref()
  }

  /** The event loop delay in milliseconds. */
  get eventLoopDelayMs(): number {
    return this.#delay.at(performance.now())
  }

  /** The used part of the heap in bytes, including garbage that is not collected yet. */
  get heapBytes(): number {
    return this.#heapBytes
  }
}
