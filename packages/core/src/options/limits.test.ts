import { expect, it } from 'vitest'
import { Server } from '../server.ts'
import { DEFAULT_LIMITS, type Limits, resolveLimits } from './limits.ts'

const check = (limits: unknown): Server => new Server({ limits: limits as Partial<Limits> })

it('replaces only what is given', () => {
  expect(resolveLimits({ maxFields: 7 })).toEqual({ ...DEFAULT_LIMITS, maxFields: 7 })
})

it('takes what is undefined for not given', () => {
  expect(resolveLimits({ maxFields: undefined } as object)).toEqual(DEFAULT_LIMITS)
})

it('names the limits there are when one is misspelt', () => {
  expect(() => check({ maxfields: 7 })).toThrow(
    /^Server: unknown option "limits\.maxfields"\. Did you mean "maxFields"\? Known options: .*maxFields/,
  )
})

it.each([-1, 1.5, NaN, 2 ** 31])('refuses %j, which is out of range', (value) => {
  expect(() => check({ maxFields: value })).toThrow(RangeError)
})

it.each(['10', null])('refuses %j, which has another type', (value) => {
  expect(() => check({ maxFields: value })).toThrow(TypeError)
})

it('tells text from a number', () => {
  expect(() => check({ maxFields: '10' })).toThrow(
    'Server: option "limits.maxFields" must be an integer from 0 to 2147483647, got "10". Convert text first',
  )
})

it('takes bodies of any size', () => {
  expect(() => check({ maxBodyBytes: 2 ** 40 })).not.toThrow()
  expect(resolveLimits({ maxBodyBytes: 2 ** 40 }).maxBodyBytes).toBe(2 ** 40)
})
