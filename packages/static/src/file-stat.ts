import { statSync, type BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { fileFailure } from './file-failure.ts'

/** Above this average a synchronous `stat` holds up the event loop longer than an asynchronous one costs. */
const SLOW_NS = 200_000
/** One hiccup of the machine must not pass for a slow disk, nor take long to be forgotten. */
const SAMPLE_LIMIT_NS = 1_000_000
/** Share of a new sample in the moving average. */
const SMOOTHING = 1 / 8
/** While the file system is slow, one request per this time tries whether it still is. */
const PROBE_INTERVAL_MS = 250

type Found = BigIntStats | undefined
/** What is there at a path, nothing, or that it would take time to know. */
export type LookNow = BigIntStats | undefined | 'unknown'

/**
 * Looks at files before every answer: at once while the file system is quick (about 1.5 µs when its metadata is in
 * memory), in the thread pool when it is slow. Requests that wait for the same slow path share one call, but never
 * one that began before they asked.
 */
export class FileStat {
  readonly #statSync: (path: string) => Found
  readonly #stat: (path: string) => Promise<Found>
  #averageNs = 0
  #probeAtMs = 0
  readonly #running = new Map<string, Promise<Found>>()
  readonly #queued = new Map<string, Promise<Found>>()

  constructor(sync: (path: string) => Found = statNow, later: (path: string) => Promise<Found> = statLater) {
    this.#statSync = sync
    this.#stat = later
  }

  /**
   * @returns `undefined` if there is nothing of that name
   * @throws the error of `stat` if the process may not look, or the file system fails
   */
  look(path: string): Found | Promise<Found> {
    return this.#isSlow() ? this.#shared(path) : this.#timed(path)
  }

  /** As `look`, but `'unknown'` where that would take time or throw. */
  lookNow(path: string): LookNow {
    if (this.#isSlow()) return 'unknown'
    try {
      return this.#timed(path)
    } catch {
      // Whoever looks next is told why.
      return 'unknown'
    }
  }

  /** Whether to look in the thread pool; now and then not, to see whether it still has to be. */
  #isSlow(): boolean {
    if (this.#averageNs <= SLOW_NS) return false
    const nowMs = performance.now()
    if (nowMs < this.#probeAtMs) return true
    this.#probeAtMs = nowMs + PROBE_INTERVAL_MS
    return false
  }

  #timed(path: string): Found {
    const startMs = performance.now()
    try {
      return this.#statSync(path)
    } finally {
      const sampleNs = Math.min((performance.now() - startMs) * 1e6, SAMPLE_LIMIT_NS)
      this.#averageNs += (sampleNs - this.#averageNs) * SMOOTHING
    }
  }

  #shared(path: string): Promise<Found> {
    const queued = this.#queued.get(path)
    if (queued !== undefined) return queued
    const running = this.#running.get(path)
    if (running === undefined) return this.#start(path)
    const startNext = (): Promise<Found> => {
      this.#queued.delete(path)
      return this.#start(path)
    }
    const next = running.then(startNext, startNext)
    this.#queued.set(path, next)
    return next
  }

  #start(path: string): Promise<Found> {
    const running = this.#stat(path).finally(() => this.#running.delete(path))
    this.#running.set(path, running)
    return running
  }
}

function statNow(path: string): Found {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    return orMissing(error)
  }
}

async function statLater(path: string): Promise<Found> {
  try {
    return await stat(path, { bigint: true })
  } catch (error) {
    return orMissing(error)
  }
}

function orMissing(error: unknown): undefined {
  if (fileFailure(error) !== 'missing') throw error
  return undefined
}
