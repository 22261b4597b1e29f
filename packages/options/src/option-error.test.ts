import { expect, it } from 'vitest'
import { optionError } from './option-error.ts'

const INVALID = { api: 'compile', name: 'schema', expected: 'a JSON Schema', got: 'an object' }

it('sets the error that explains the invalid value as the cause', () => {
  const cause = new Error('unknown type')
  expect(optionError({ ...INVALID, cause })).toMatchObject({ name: 'TypeError', cause })
  expect(optionError({ ...INVALID, isRange: true, cause })).toMatchObject({ name: 'RangeError', cause })
})

it('omits the cause unless one is given', () => {
  expect(optionError(INVALID)).not.toHaveProperty('cause')
})

it('names the function and the option in properties', () => {
  const properties = { code: 'FW_INVALID_OPTION', api: 'compile', option: 'schema' }
  expect(optionError(INVALID)).toMatchObject(properties)
  expect(optionError({ ...INVALID, isRange: true })).toMatchObject(properties)
})
