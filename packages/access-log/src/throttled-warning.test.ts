import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { throttledWarning } from './throttled-warning.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it.each([Object.create(null), { toString: () => fail() }, new Proxy({}, { get: () => fail() })])(
  'warns about a thrown value that cannot be shown',
  (thrown: unknown) => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    throttledWarning('one threw')(thrown)
    expect(emit).toHaveBeenCalledWith('one threw: a value that cannot be shown', 'AccessLogWarning')
  },
)

function fail(): never {
  throw new Error('on purpose')
}

it('warns at most once a second about each error', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const [one, two] = [throttledWarning('one threw'), throttledWarning('two threw')]
  one(new Error('a'))
  one(new Error('b'))
  two('c')
  vi.advanceTimersByTime(1000)
  one(new Error('d'))
  expect(emit.mock.calls).toEqual([
    ['one threw: Error: a', 'AccessLogWarning'],
    ['two threw: c', 'AccessLogWarning'],
    ['one threw: Error: d', 'AccessLogWarning'],
  ])
})
