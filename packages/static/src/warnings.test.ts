import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { limitedWarnings } from './warnings.ts'

const warned: string[] = []
const collect = (warning: Error): void => {
  if (warning.name === 'StaticFilesWarning') warned.push(warning.message)
}

afterEach(() => {
  vi.useRealTimers()
  process.off('warning', collect)
})

it('warns once a second and counts what it leaves out', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  process.on('warning', collect)
  const warn = limitedWarnings()
  for (const name of ['a', 'b', 'c']) warn(`Cannot open ${name}`)
  vi.advanceTimersByTime(1000)
  warn('Cannot open d')
  vi.advanceTimersByTime(1000)
  warn('Cannot open e')
  await setImmediate()
  expect(warned).toEqual(['Cannot open a', 'Cannot open d (and 2 more warnings since the last one)', 'Cannot open e'])
})
