import { getHeapStatistics } from 'node:v8'
import { DelayEstimate } from './delay-estimate.ts'

/** Time between two samples. Shorter times would wake an idle process more often. */
const SAMPLE_MS = 50

/** Measures the load of this process from its creation on. It does not keep the process alive. */
export class Load {
  readonly #delay = new DelayEstimate(SAMPLE_MS, performance.now())
  #heapBytes = 0

  constructor() {
    setInterval(() => {
      this.#delay.sample(performance.now())
      this.#heapBytes = getHeapStatistics().used_heap_size
    }, SAMPLE_MS).unref()
  }

  /** The delay of the event loop, in milliseconds. */
  get eventLoopDelayMs(): number {
    return this.#delay.at(performance.now())
  }

  /** The used part of the heap, in bytes. It includes what the garbage collector has not freed yet. */
  get heapBytes(): number {
    return this.#heapBytes
  }
}
