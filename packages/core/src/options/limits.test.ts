import { expect, it } from 'vitest'
import { Server } from '../server.ts'
import { DEFAULT_LIMITS, type Limits, resolveLimits } from './limits.ts'

const check = (limits: unknown): Server => new Server({ limits: limits as Partial<Limits> })

it('replaces only the given limits', () => {
  expect(resolveLimits({ maxFields: 7 })).toEqual({ ...DEFAULT_LIMITS, maxFields: 7 })
})

it('keeps the default of a limit that is undefined', () => {
  expect(resolveLimits({ maxFields: undefined } as object)).toEqual(DEFAULT_LIMITS)
})

it('suggests the right name for a misspelled limit and lists all limits', () => {
  expect(() => check({ maxfields: 7 })).toThrow(
    /^Server: unknown option "limits\.maxfields"\. Did you mean "maxFields"\? Known options: .*maxFields/,
  )
})

it.each([-1, 1.5, NaN, 2 ** 31])('rejects %j, which is out of range, with a RangeError', (value) => {
  expect(() => check({ maxFields: value })).toThrow(RangeError)
})

it.each(['10', null])('rejects %j, which has the wrong type, with a TypeError', (value) => {
  expect(() => check({ maxFields: value })).toThrow(TypeError)
})

it('distinguishes text from a number in the error message', () => {
  expect(() => check({ maxFields: '10' })).toThrow(
    'Server: option "limits.maxFields" must be an integer from 0 to 2147483647, got "10". Convert text first',
  )
})

it('accepts a body limit larger than the longest timer', () => {
  expect(() => check({ maxBodyBytes: 2 ** 40 })).not.toThrow()
  expect(resolveLimits({ maxBodyBytes: 2 ** 40 }).maxBodyBytes).toBe(2 ** 40)
})
