import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { checkListenOptions } from './listen-options.ts'
import { resolveWorkerOptions, type WorkerOptions } from './worker-options.ts'

const DEFAULTS = {
  pinCpus: false,
  heartbeatTimeoutMs: 10_000,
  startTimeoutMs: 60_000,
  maxRestartDelayMs: 30_000,
  drainMs: 10_000,
  spare: false,
}

const COUNT = 'option "workers" must be an integer from 1 to 1024 or "auto", or an object with a count'
const HEARTBEAT = 'option "workers.heartbeatTimeoutMs" must be 0 or an integer from 100 to 2147483647'

describe('the option workers', () => {
  it.each<[number | 'auto' | WorkerOptions, number]>([
    [1, 1],
    [1024, 1024],
    ['auto', availableParallelism()],
    [{ count: 3 }, 3],
    [{ count: 'auto' }, availableParallelism()],
  ])('resolves %j to the process count %i with the default settings', (given, count) => {
    expect(resolveWorkerOptions(given, false)).toEqual({ ...DEFAULTS, count })
  })

  it('accepts settings in addition to the count', () => {
    const given = { heartbeatTimeoutMs: 0, startTimeoutMs: 1, maxRestartDelayMs: 1, drainMs: 0, spare: true }
    expect(resolveWorkerOptions({ count: 2, ...given }, true)).toEqual({ count: 2, pinCpus: true, ...given })
  })

  it.each<[unknown, typeof TypeError, string]>([
    [0, RangeError, `${COUNT}, got 0. Use 'auto' to start one process on each CPU.`],
    [1025, RangeError, `${COUNT}, got 1025.`],
    [1.5, RangeError, `${COUNT}, got 1.5.`],
    [Number.NaN, RangeError, `${COUNT}, got NaN.`],
    ['all', TypeError, `${COUNT}, got "all".`],
    ['4', TypeError, `${COUNT}, got "4". Convert text first, for example Number(process.env.NAME).`],
    [null, TypeError, `${COUNT}, got null.`],
    [{}, TypeError, `${COUNT}, got an object.`],
    [
      { count: 1, heartbeatMs: 1 },
      TypeError,
      'unknown option "workers.heartbeatMs". Known options: count, heartbeatTimeoutMs,',
    ],
    [{ count: 0 }, RangeError, 'option "workers.count" must be an integer from 1 to 1024 or "auto", got 0.'],
    [{ count: 1, heartbeatTimeoutMs: 99 }, RangeError, `${HEARTBEAT}, got 99.`],
    [{ count: 1, heartbeatTimeoutMs: -1 }, RangeError, `${HEARTBEAT}, got -1.`],
    [
      { count: 1, startTimeoutMs: 0 },
      RangeError,
      'option "workers.startTimeoutMs" must be an integer from 1 to 2147483647, got 0.',
    ],
    [
      { count: 1, maxRestartDelayMs: 2 ** 31 },
      RangeError,
      'option "workers.maxRestartDelayMs" must be an integer from 1',
    ],
    [
      { count: 1, drainMs: 0.5 },
      RangeError,
      'option "workers.drainMs" must be an integer from 0 to 2147483647, got 0.5.',
    ],
  ])('rejects %j', (given, type, message) => {
    const act = (): unknown => checkListenOptions({ workers: given as WorkerOptions })
    expect(act).toThrow(type)
    expect(act).toThrow(`listen: ${message}`)
  })

  it('rejects a pinCpus that is not a boolean', () => {
    expect(() => checkListenOptions({ workers: 1, pinCpus: 'yes' as unknown as boolean })).toThrow(
      'listen: option "pinCpus" must be true or false, got "yes".',
    )
  })

  it('rejects a spare that is not a boolean', () => {
    const options = { count: 1, spare: 1 as unknown as boolean }
    expect(() => checkListenOptions({ workers: options })).toThrow(
      'listen: option "workers.spare" must be true or false, got 1.',
    )
  })
})
