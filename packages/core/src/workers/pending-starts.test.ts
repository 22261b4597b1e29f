import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { SentAddress } from './messages.ts'
import { PendingStarts } from './pending-starts.ts'

const address: SentAddress = { url: 'http://a/', host: 'a', port: 1, path: undefined, protocols: [] }

/** Returns a start's outcome. Call it immediately, so that a failure is handled whenever it occurs. */
const outcomeOf = (start: Promise<unknown>): Promise<string> =>
  start.then(
    () => 'started',
    (error: Error) => error.message,
  )

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('resolves when all workers are listening, and counts each once', async () => {
  const starts = new PendingStarts(2, 1000)
  const onStarted = vi.fn()
  const all = starts.all(0).then(onStarted)
  starts.taken(0, 0, address)
  starts.taken(0, 0, address)
  starts.taken(7, 1, address)
  await vi.advanceTimersByTimeAsync(0)
  expect([onStarted.mock.calls.length, starts.size]).toEqual([0, 1])
  starts.taken(0, 1, address)
  await all
  expect([onStarted.mock.calls, starts.size, vi.getTimerCount()]).toEqual([[[address]], 0, 0])
})

it('fails with the reason of a worker that exits before it listens, and ignores one that is already listening', async () => {
  const starts = new PendingStarts(2, 1000)
  const all = outcomeOf(starts.all(0))
  starts.taken(0, 0, address)
  expect(starts.failed(0, 'it had listened')).toBe(0)
  expect(starts.failed(1, 'out of memory')).toBe(1)
  expect(await all).toBe('out of memory')
  expect([starts.size, vi.getTimerCount()]).toEqual([0, 0])
})

it('names the worker that does not listen in time', async () => {
  const starts = new PendingStarts(3, 1000)
  const all = outcomeOf(starts.all(0))
  starts.taken(0, 0, address)
  starts.taken(0, 2, address)
  await vi.advanceTimersByTimeAsync(1000)
  expect(await all).toMatch(/^Worker 2 did not listen within 1,000 ms\. /)
})
