import * as log from '@fw/log'
import { afterEach, expect, it, vi } from 'vitest'
import { limitedWarnings } from './warnings.ts'

afterEach(() => {
  vi.useRealTimers()
  log.setSinks([new log.ConsoleSink({})])
})

it('warns once a second and counts what it leaves out', () => {
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

it('makes Warn records, whatever braces a file name holds', async () => {
  const sink = new log.MemorySink()
  log.setSinks([sink])
  limitedWarnings()('Cannot open {name}')
  await expect.poll(() => sink.size()).toBe(1)
  expect(sink.records()[0]).toMatchObject({ level: log.Level.Warn, message: 'Cannot open {name}' })
})
