import * as log from '@fw/log'
import { afterEach, expect, it, vi } from 'vitest'
import { limitedWarnings, ownWarnings } from './warnings.ts'

afterEach(() => {
  vi.useRealTimers()
  log.setSinks([new log.ConsoleSink({})])
})

it('warns at most once per second and counts the omitted warnings', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const warned: string[] = []
  const warn = limitedWarnings((message) => warned.push(message))
  for (const name of ['a', 'b', 'c']) warn(`Cannot open ${name}`)
  vi.advanceTimersByTime(1000)
  warn('Cannot open d')
  vi.advanceTimersByTime(1000)
  warn('Cannot open e')
  expect(warned).toEqual(['Cannot open a', 'Cannot open d (and 2 more warnings since the last one)', 'Cannot open e'])
})

it('logs Warn records for file names with braces', async () => {
  const sink = new log.MemorySink()
  log.setSinks([sink])
  limitedWarnings()('Cannot open {name}')
  await expect.poll(() => sink.size()).toBe(1)
  expect(sink.records()[0]).toMatchObject({
    level: log.Level.Warn,
    message: 'Cannot open {name}',
    location: { file: 'fw:static', line: 0 },
  })
})

it.each([
  [
    'throws',
    (): void => {
      throw new Error('no pager')
    },
    ': no pager',
  ],
  ['rejects', (): Promise<void> => Promise.reject(new Error('no pager')), ': no pager'],
  ['rejects with no error', (): Promise<void> => Promise.reject(Object.create(null)), ''],
])('logs the warning itself if onWarning %s', async (_, report, reason) => {
  const warned: string[] = []
  ownWarnings(report, (message) => warned.push(message))('Cannot open a')
  await expect.poll(() => warned).toEqual([`Cannot open a (onWarning failed${reason})`])
})
