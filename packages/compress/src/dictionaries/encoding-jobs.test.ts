import { describe, expect, it } from 'vitest'
import { EncodingJobs } from './encoding-jobs.ts'

const SIGNAL = new AbortController().signal
const BYTES = Buffer.from('encoded')

/** Returns a job that ends when `resolve` is called, and the number of its runs. */
function pendingJob(): { encode: () => Promise<Uint8Array>; resolve: (bytes: Uint8Array) => void; runs: () => number } {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  let count = 0
  const encode = (): Promise<Uint8Array> => {
    count++
    return promise
  }
  return { encode, resolve, runs: () => count }
}

/** Waits for the results of jobs, some of which were refused. */
function all(results: readonly (Promise<Uint8Array | undefined> | undefined)[]): Promise<(Uint8Array | undefined)[]> {
  return Promise.all(results.map(async (result) => result))
}

describe('EncodingJobs', () => {
  it('runs equal jobs at the same time once', async () => {
    const jobs = new EncodingJobs(2, 0)
    const { encode, resolve, runs } = pendingJob()
    const results = [jobs.run('a', SIGNAL, encode), jobs.run('a', SIGNAL, encode), jobs.run('b', SIGNAL, encode)]
    expect(runs()).toBe(2)
    resolve(BYTES)
    expect(await all(results)).toEqual([BYTES, BYTES, BYTES])
    await jobs.run('a', SIGNAL, encode)
    expect(runs()).toBe(3)
  })

  it('runs a job again after it has failed', async () => {
    const jobs = new EncodingJobs(1, 0)
    await expect(jobs.run('a', SIGNAL, () => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory')
    expect(await jobs.run('a', SIGNAL, () => Promise.resolve(BYTES))).toBe(BYTES)
  })

  it('refuses a job if the maximum number waits', async () => {
    const jobs = new EncodingJobs(1, 2)
    const { encode, resolve, runs } = pendingJob()
    const results = ['a', 'b', 'c', 'd'].map((key) => jobs.run(key, SIGNAL, encode))
    expect(results.map((result) => result !== undefined)).toEqual([true, true, true, false])
    // A response can still wait for a job in progress.
    expect(jobs.run('a', SIGNAL, encode)).not.toBe(undefined)
    expect(runs()).toBe(1)
    resolve(BYTES)
    await all(results)
    expect(await jobs.run('d', SIGNAL, encode)).toBe(BYTES)
    expect(runs()).toBe(4)
  })

  it('skips a job whose requests have all ended', async () => {
    const jobs = new EncodingJobs(1, 2)
    const first = pendingJob()
    const [none, one] = [pendingJob(), pendingJob()]
    const running = jobs.run('a', SIGNAL, first.encode)
    const ended = new AbortController()
    const skipped = jobs.run('b', ended.signal, none.encode)
    const results = [jobs.run('c', ended.signal, one.encode), jobs.run('c', SIGNAL, one.encode)]
    ended.abort()
    one.resolve(BYTES)
    first.resolve(BYTES)
    await running
    expect(await skipped).toBe(undefined)
    expect(await all(results)).toEqual([BYTES, BYTES])
    expect([none.runs(), one.runs()]).toEqual([0, 1])
  })
})
