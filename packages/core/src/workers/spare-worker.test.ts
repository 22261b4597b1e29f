import { expect, it, onTestFinished, vi } from 'vitest'
import { SpareWorker } from './spare-worker.ts'
import type { WorkerProcess } from './worker-process.ts'

/**
 * Returns, for five spares, the milliseconds from the end of one to the start of the next.
 *
 * @param wanted The `listen` call that each spare has reached; `undefined` if none
 */
function waits(wanted: number | undefined): number[] {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let current: WorkerProcess | undefined
  const spare = new SpareWorker(() => (current = { wanted } as WorkerProcess), 30_000)
  spare.prepare()
  vi.advanceTimersToNextTimer()
  return Array.from({ length: 5 }, () => {
    const endedMs = performance.now()
    if (current !== undefined) spare.onExit(current)
    vi.advanceTimersToNextTimer()
    return performance.now() - endedMs
  })
}

it('waits the same time before it replaces each spare that was ready', () => {
  expect(waits(1)).toEqual(Array(5).fill(1000))
})

it('waits longer each time before it replaces a spare that never became ready', () => {
  const [first = 0, , third = 0, , fifth = 0] = waits(undefined)
  expect(first).toBe(1000)
  expect(third).toBeGreaterThan(first)
  expect(fifth).toBeGreaterThan(third)
})
