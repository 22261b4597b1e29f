import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync, type BigIntStats } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { FileStat } from './file-stat.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'fw-stat-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A simulated clock, so that a busy machine does not affect the measured times. */
let nowMs = 1e6

beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs))
afterEach(() => vi.restoreAllMocks())

const busyFor = (ms: number): void => void (nowMs += ms)

describe('FileStat', () => {
  it('returns nanoseconds synchronously', () => {
    writeFileSync(join(folder, 'a'), 'abc')
    const found = new FileStat().stat(join(folder, 'a'))
    expect(found).toMatchObject({ size: 3n })
    expect(found).toHaveProperty('mtimeNs')
  })

  it('returns undefined for paths that cannot exist', async () => {
    writeFileSync(join(folder, 'file'), '')
    symlinkSync('loop', join(folder, 'loop'))
    const files = new FileStat()
    for (const name of ['none', 'file/below', 'loop', 'n'.repeat(300)]) {
      expect(await files.stat(join(folder, name))).toBeUndefined()
    }
  })

  it('moves to the thread pool while the file system is slow, and back afterwards', async () => {
    const stats = statSync(folder, { bigint: true })
    let sync = 0
    let isSlow = true
    const files = new FileStat(
      () => {
        sync++
        if (isSlow) busyFor(2)
        return stats
      },
      () => Promise.resolve(stats),
    )
    // Each synchronous call blocks the event loop.
    expect([files.stat('x'), files.stat('x') instanceof Promise]).toEqual([stats, true])
    for (let i = 0; i < 50; i++) await files.stat('x')
    expect(sync).toBe(1)

    isSlow = false
    // The longest hold ends.
    nowMs += 1000
    // Earlier calls in this turn count too.
    await setImmediate()
    expect([files.stat('x'), files.stat('x')]).toEqual([stats, stats])
  })

  it('limits the total time of synchronous calls per turn across all mounts', async () => {
    await setImmediate()
    let sync = 0
    const slow = (): FileStat =>
      new FileStat(
        () => {
          sync++
          busyFor(5)
          return undefined
        },
        () => Promise.resolve(undefined),
      )
    const mounts = Array.from({ length: 10 }, slow)
    for (const files of mounts) void files.stat('x')
    expect(sync).toBe(1)
    await setImmediate()
    expect(mounts.map((files) => files.quickStat('x'))).toContain(undefined)
    expect(sync).toBe(2)
  })

  it('shares a slow call among waiting requests, but only if it starts after they do', async () => {
    const calls: ((stats: BigIntStats | undefined) => void)[] = []
    const files = new FileStat(
      () => {
        busyFor(2)
        return undefined
      },
      () => new Promise((resolve) => calls.push(resolve)),
    )
    const warmUp = async (): Promise<void> => {
      for (;;) {
        const found = files.stat('warm')
        if (!(found instanceof Promise)) continue
        calls.shift()?.(undefined)
        await found
        return
      }
    }
    await warmUp()

    const first = files.stat('x')
    const second = files.stat('x')
    const third = files.stat('x')
    expect(calls).toHaveLength(1)
    expect(second).toBe(third)
    calls[0]?.(undefined)
    await first
    await expect.poll(() => calls.length).toBe(2)
    calls[1]?.(undefined)
    await expect(Promise.all([second, third])).resolves.toEqual([undefined, undefined])
  })

  it('does not fail later requests when a call fails', async () => {
    const failures: ((error: Error) => void)[] = []
    const files = new FileStat(
      () => {
        busyFor(2)
        return undefined
      },
      () => new Promise((_, reject) => failures.push(reject)),
    )
    let first = files.stat('x')
    while (!(first instanceof Promise)) first = files.stat('x')
    const second = files.stat('x')
    failures[0]?.(new Error('EIO once'))
    await expect(first).rejects.toThrow('EIO once')
    await expect.poll(() => failures.length).toBe(2)
    failures[1]?.(new Error('EIO twice'))
    await expect(second).rejects.toThrow('EIO twice')
  })
})
