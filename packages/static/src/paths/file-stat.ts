import { statSync, type BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { fileFailure } from '../files/file-failure.ts'
import { DiskSpeed } from './disk-speed.ts'
import { TurnBudget } from './turn.ts'

type Found = BigIntStats | undefined
/** What is there at a path, nothing, or that it would take time to know. */
export type LookNow = BigIntStats | undefined | 'unknown'

/** One for all mounts, as they share an event loop. */
const turnBudget = new TurnBudget()
const { nodeTiming } = performance
const OPTIONS = { bigint: true, throwIfNoEntry: false } as const

/**
 * Looks at files before every response: at once while the file system is quick (2 to 3 µs when its metadata is in
 * memory), in the thread pool when it is slow. Requests that wait for the same slow path share one call, but never
 * one that began before they asked.
 */
export class FileStat {
  readonly #statSync: (path: string) => Found
  readonly #stat: (path: string) => Promise<Found>
  readonly #pace = new DiskSpeed()
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
    const startMs = performance.now()
    return this.#isSlow(startMs) ? this.#shared(path) : this.#timed(path, startMs)
  }

  /** As `look`, but `'unknown'` where that would take time or throw. */
  lookNow(path: string, startMs: number = performance.now()): LookNow {
    if (this.#isSlow(startMs)) return 'unknown'
    try {
      return this.#timed(path, startMs)
    } catch {
      // Whoever looks next is told why.
      return 'unknown'
    }
  }

  /** Whether to look in the thread pool. */
  #isSlow(nowMs: number): boolean {
    return this.#pace.isHeld(nowMs) || turnBudget.isSpent()
  }

  #timed(path: string, startMs: number): Found {
    try {
      return this.#statSync(path)
    } finally {
      const endMs = performance.now()
      this.#pace.looked(startMs, endMs)
      turnBudget.spend(endMs - startMs)
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
    const idleMs = nodeTiming.idleTime
    this.#pace.begin()
    const running = this.#stat(path).finally(() => {
      this.#running.delete(path)
      this.#pace.end(nodeTiming.idleTime - idleMs)
    })
    this.#running.set(path, running)
    return running
  }
}

function statNow(path: string): Found {
  try {
    return statSync(path, OPTIONS)
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
