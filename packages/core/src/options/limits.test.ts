import { expect, it } from 'vitest'
import { DEFAULT_LIMITS, resolveLimits } from './limits.ts'

it('replaces only what is given', () => {
  expect(resolveLimits({ maxFields: 7 })).toEqual({ ...DEFAULT_LIMITS, maxFields: 7 })
})

it('takes what is undefined for not given', () => {
  expect(resolveLimits({ maxFields: undefined } as object)).toEqual(DEFAULT_LIMITS)
})

it('names the limits there are when one is misspelt', () => {
  expect(() => resolveLimits({ maxfields: 7 } as object)).toThrow(
    /Unknown limit 'maxfields'; the limits are: .*maxFields/,
  )
})

it.each([-1, 1.5, NaN, '10', null, 2 ** 31])('refuses %j', (value) => {
  expect(() => resolveLimits({ maxFields: value as number })).toThrow(RangeError)
})

it('tells text from a number', () => {
  expect(() => resolveLimits({ maxFields: '10' as never })).toThrow('Limit maxFields is "10"; it takes a whole number')
})

it('takes bodies of any size', () => {
  expect(resolveLimits({ maxBodyBytes: 2 ** 40 }).maxBodyBytes).toBe(2 ** 40)
})
