import { expect, it, onTestFinished, vi } from 'vitest'
import { RareRecord } from './rare-record.ts'

it('logs at most once in 10,000 ms, with the number of events and the last details', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const log = vi.fn<(count: number, address: string) => void>()
  const record = new RareRecord(log)
  record.write('192.0.2.1')
  record.write('192.0.2.2')
  vi.advanceTimersByTime(9_999)
  record.write('192.0.2.3')
  expect(log.mock.calls).toEqual([[1, '192.0.2.1']])
  vi.advanceTimersByTime(1)
  record.write('192.0.2.4')
  expect(log.mock.calls).toEqual([
    [1, '192.0.2.1'],
    [3, '192.0.2.4'],
  ])
})
