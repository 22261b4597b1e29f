import { expect, it } from 'vitest'
import { isStandardSchema } from './standard-schema.ts'

const validate = (): object => ({ value: 1 })

it.each<[string, unknown]>([
  ['an object', { '~standard': { version: 1, vendor: 'test', validate } }],
  ['a function with the property', Object.assign(() => {}, { '~standard': { validate } })],
  ['an object that inherits the property', Object.create({ '~standard': { validate } })],
])('recognizes %s', (_, value) => {
  expect(isStandardSchema(value)).toBe(true)
})

it.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['text', '~standard'],
  ['an object without the property', { validate }],
  ['a property without validate()', { '~standard': {} }],
  ['a validate that is not a function', { '~standard': { validate: true } }],
  ['a property that is null', { '~standard': null }],
])('rejects %s', (_, value) => {
  expect(isStandardSchema(value)).toBe(false)
})
