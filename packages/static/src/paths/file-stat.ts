import { statSync, type BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { fileFailure } from '../files/file-failure.ts'
import { DiskSpeed } from './disk-speed.ts'
import { TurnBudget } from './turn.ts'

type Found = BigIntStats | undefined
/** Result of a stat call; `undefined` for a missing path, 'unknown' if the call would block or fails. */
export type QuickStat = BigIntStats | undefined | 'unknown'

/** Budget of all mounts, which share one event loop. */
const turnBudget = new TurnBudget()
const { nodeTiming } = performance
const OPTIONS = { bigint: true, throwIfNoEntry: false } as const

/**
 * Makes the stat calls before each response: synchronously on a fast file system, and in the thread pool on a slow one. With
 * cached metadata, a synchronous call takes 2 to 3 µs. Requests for the same slow path share a call, but only if it starts
 * after they do.
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
   * Returns the state of a file, or `undefined` if the path does not exist.
   *
   * @throws an error from `stat` if the process has no permission or the file system fails
   */
  stat(path: string): Found | Promise<Found> {
    const startMs = performance.now()
    return this.#isSlow(startMs) ? this.#shared(path) : this.#timed(path, startMs)
  }

  /** Returns the state of a file without waiting; 'unknown' if the disk is slow or the call fails. */
  quickStat(path: string, startMs: number = performance.now()): QuickStat {
    if (this.#isSlow(startMs)) return 'unknown'
    try {
      return this.#timed(path, startMs)
    } catch {
      // The caller repeats the call with `stat`, which throws the error.
      return 'unknown'
    }
  }

  /** Reports whether to use the thread pool. */
  #isSlow(nowMs: number): boolean {
    return this.#pace.isHeld(nowMs) || turnBudget.isSpent()
  }

  #timed(path: string, startMs: number): Found {
    try {
      return this.#statSync(path)
    } finally {
      const endMs = performance.now()
      this.#pace.recordSync(startMs, endMs)
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
