import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { formatHttpDate, parseHttpDate } from './http-date.ts'

afterEach(() => void vi.useRealTimers())

describe('parseHttpDate', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 784_111_777],
    ['Sun Nov  6 08:49:37 1994', 784_111_777],
    ['Wed Nov 16 08:49:37 1994', 784_975_777],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Wed, 31 Dec 1969 23:59:59 GMT', -1],
    ['Thu, 29 Feb 2024 00:00:00 GMT', 1_709_164_800],
    ['Sat, 31 Dec 2016 23:59:60 GMT', 1_483_228_800],
    ['Tue, 19 Jan 2038 03:14:08 GMT', 2_147_483_648],
  ])('parses %j as %i', (value, seconds) => {
    expect(parseHttpDate(value)).toBe(seconds)
  })

  it.each([
    '',
    '2099',
    '2099-01-01T00:00:00Z',
    'banana',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37 gmt',
    'sun, 06 nov 1994 08:49:37 GMT',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Thu, 29 Feb 2023 00:00:00 GMT',
    'Wed, 31 Jun 2024 00:00:00 GMT',
    'Wed, 00 Jun 2024 00:00:00 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
  ])('rejects %j', (value) => {
    expect(parseHttpDate(value)).toBeUndefined()
  })

  it('interprets a two-digit year as within 50 years of now', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
    expect(parseHttpDate('Wednesday, 01-Jan-76 00:00:00 GMT')).toBe(Date.UTC(2076, 0, 1) / 1000)
    expect(parseHttpDate('Saturday, 01-Jan-77 00:00:00 GMT')).toBe(Date.UTC(1977, 0, 1) / 1000)
  })
})

describe('formatHttpDate', () => {
  it('writes an IMF-fixdate', () => {
    expect(formatHttpDate(784_111_777)).toBe('Sun, 06 Nov 1994 08:49:37 GMT')
  })

  it('returns undefined for years that do not have four digits', () => {
    expect(formatHttpDate(253_402_300_800)).toBeUndefined()
    expect(formatHttpDate(-62_167_219_201)).toBeUndefined()
  })

  it('returns text that parseHttpDate parses as the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
        expect(parseHttpDate(formatHttpDate(seconds) ?? '')).toBe(seconds)
      }),
    )
  })
})
