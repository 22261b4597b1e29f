import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpDate } from './http-date.ts'

describe('httpDate', () => {
  afterEach(() => {
    vi.runAllTimers()
    vi.useRealTimers()
  })

  it('returns the current second as an IMF-fixdate', () => {
    vi.useFakeTimers({ now: Date.UTC(1994, 10, 6, 8, 49, 36, 999) })
    expect(httpDate()).toBe('Sun, 06 Nov 1994 08:49:36 GMT')
    vi.advanceTimersByTime(1)
    expect(httpDate()).toBe('Sun, 06 Nov 1994 08:49:37 GMT')
    vi.advanceTimersByTime(999)
    expect(httpDate()).toBe('Sun, 06 Nov 1994 08:49:37 GMT')
    vi.advanceTimersByTime(1)
    expect(httpDate()).toBe('Sun, 06 Nov 1994 08:49:38 GMT')
    vi.advanceTimersByTime(60_000)
    expect(httpDate()).toBe('Sun, 06 Nov 1994 08:50:38 GMT')
  })
})
