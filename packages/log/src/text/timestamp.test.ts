import * as fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import { timestamp, utcTimestamp } from './timestamp.ts'

const { TZ } = process.env
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

it.each([
  ['UTC', Date.UTC(2026, 0, 2, 3, 4, 5, 6), '2026-01-02 03:04:05.006'],
  ['UTC', Date.UTC(1999, 11, 31, 23, 59, 59, 999), '1999-12-31 23:59:59.999'],
  ['UTC', -1, '1969-12-31 23:59:59.999'],
  ['Asia/Kolkata', Date.UTC(2026, 0, 2, 20, 0, 0, 0), '2026-01-03 01:30:00.000'],
  // This hour repeats when summer time ends.
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 0, 59, 59, 999), '2026-10-25 02:59:59.999'],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 1, 0, 0, 0), '2026-10-25 02:00:00.000'],
])('formats local time in %s at %i as %s', (zone, timeMs, text) => {
  process.env.TZ = zone
  expect(timestamp(timeMs)).toBe(text)
})

it('follows a clock that moves forward and back within a second', () => {
  process.env.TZ = 'UTC'
  const base = Date.UTC(2027, 4, 6, 7, 8, 9)
  const texts = [0, 999, 1000, 5, -1].map((ms) => timestamp(base + ms).slice(-6))
  expect(texts).toEqual(['09.000', '09.999', '10.000', '09.005', '08.999'])
})

it('formats local time with milliseconds', () => {
  process.env.TZ = 'America/St_Johns'
  const format = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    timeZone: 'America/St_Johns',
  })
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2001, 0), max: Date.UTC(2100, 0) }), (timeMs) => {
      expect(timestamp(timeMs)).toBe(`${format.format(timeMs)}.${String(timeMs % 1000).padStart(3, '0')}`)
    }),
  )
})

it('formats UTC in any process time zone', () => {
  process.env.TZ = 'Asia/Kolkata'
  expect(utcTimestamp(Date.UTC(2026, 0, 2, 20, 0, 0, 7))).toBe('2026-01-02 20:00:00.007')
})
