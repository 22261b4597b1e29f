import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { resolveWorkerOptions, type WorkerOptions } from './worker-options.ts'

const DEFAULTS = {
  pinCpus: false,
  heartbeatTimeoutMs: 10_000,
  startTimeoutMs: 60_000,
  maxRestartDelayMs: 30_000,
  drainMs: 10_000,
  spare: false,
}

describe('workers', () => {
  it.each<[number | 'auto' | WorkerOptions, number]>([
    [1, 1],
    [1024, 1024],
    ['auto', availableParallelism()],
    [{ count: 3 }, 3],
    [{ count: 'auto' }, availableParallelism()],
  ])('%j is %i processes with the defaults', (given, count) => {
    expect(resolveWorkerOptions(given, false)).toEqual({ ...DEFAULTS, count })
  })

  it('takes settings beside the number', () => {
    const given = { heartbeatTimeoutMs: 0, startTimeoutMs: 1, maxRestartDelayMs: 1, drainMs: 0, spare: true }
    expect(resolveWorkerOptions({ count: 2, ...given }, true)).toEqual({ count: 2, pinCpus: true, ...given })
  })

  it.each<[unknown, RegExp]>([
    [0, /^workers is 0; it takes 'auto' or a whole number from 1 to 1024$/],
    [1025, /^workers is 1025/],
    [1.5, /^workers is 1\.5/],
    [Number.NaN, /^workers is NaN/],
    ['all', /^workers is "all"; it takes/],
    ['4', /^workers is "4"; it takes/],
    [null, /^workers is null/],
    [{}, /^workers is undefined/],
    [
      { count: 1, heartbeatMs: 1 },
      /^Unknown option 'heartbeatMs' of workers; there are: count, spare, heartbeatTimeoutMs,/,
    ],
    [{ count: 1, heartbeatTimeoutMs: 99 }, /^workers\.heartbeatTimeoutMs is 99; it takes 0 or at least 100$/],
    [{ count: 1, heartbeatTimeoutMs: -1 }, /^workers\.heartbeatTimeoutMs is -1; it takes a whole number/],
    [{ count: 1, startTimeoutMs: 0 }, /^workers\.startTimeoutMs is 0; .* from 1 to 2147483647$/],
    [{ count: 1, maxRestartDelayMs: 2 ** 31 }, /^workers\.maxRestartDelayMs is 2147483648/],
    [{ count: 1, drainMs: 0.5 }, /^workers\.drainMs is 0\.5/],
  ])('%j is refused', (given, message) => {
    expect(() => resolveWorkerOptions(given as WorkerOptions, false)).toThrow(message)
  })

  it('refuses a pinCpus that is neither true nor false', () => {
    expect(() => resolveWorkerOptions(1, 'yes' as unknown as boolean)).toThrow(/^Option pinCpus of listen takes/)
  })

  it('refuses a spare that is neither true nor false', () => {
    const options = { count: 1, spare: 1 as unknown as boolean }
    expect(() => resolveWorkerOptions(options, false)).toThrow(/^Option spare of workers takes true or false$/)
  })
})
