import type { Sink } from '@fw/types'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FailureReport } from './failure-report.ts'

class BrokenSink implements Sink {
  write(): void {}
  flush(): void {}
  close(): void {}
}

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => vi.useRealTimers())

function start(): { lines: string[]; report: FailureReport } {
  const lines: string[] = []
  return { lines, report: new FailureReport((line) => lines.push(line)) }
}

it('names the sink and the reason', () => {
  const { lines, report } = start()
  report.add(new BrokenSink(), new Error('disk full'))
  expect(lines).toEqual(['log: BrokenSink failed: disk full'])
})

it('reports each sink at most once a second, with the number of failures since the last report', () => {
  const { lines, report } = start()
  const sink = new BrokenSink()
  for (let at = 0; at < 5; at++) report.add(sink, new Error('no'))
  vi.advanceTimersByTime(999)
  report.add(sink, new Error('no'))
  expect(lines).toHaveLength(1)
  vi.advanceTimersByTime(1)
  report.add(sink, new Error('still'))
  expect(lines[1]).toBe('log: BrokenSink failed: still (and 5 more since the last report)')
  vi.advanceTimersByTime(1000)
  report.add(sink, new Error('again'))
  expect(lines[2]).toBe('log: BrokenSink failed: again')
})

it('limits the reports of each sink separately', () => {
  const { lines, report } = start()
  report.add(new BrokenSink(), new Error('one'))
  report.add(new BrokenSink(), new Error('two'))
  expect(lines).toHaveLength(2)
})

it.each([['text'], [undefined], [{ code: 1 }], [new Error('two\nlines')]])('prints one line for %o', (error) => {
  const { lines, report } = start()
  report.add(new BrokenSink(), error)
  expect(lines).toEqual([expect.not.stringContaining('\n')])
})

it('reports a sink and an error whose properties throw', () => {
  const { lines, report } = start()
  const revoked = Proxy.revocable(new Error('never seen'), {})
  revoked.revoke()
  const withoutMessage = Object.defineProperty(new Error('never seen'), 'message', {
    get: () => {
      throw new Error('no message')
    },
  })
  class NamelessSink extends BrokenSink {
    static override get name(): string {
      throw new Error('no name')
    }
  }
  for (const error of [revoked.proxy, withoutMessage]) report.add(new NamelessSink(), error)
  expect(lines).toEqual(Array(2).fill('log: a sink failed: <value that cannot be shown>'))
})
