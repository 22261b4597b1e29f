import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { type FwErrorCode, withCode } from './error-code.ts'

it('adds the code to the same error, without changing its class or stack', () => {
  const error = new RangeError('out of range')
  const { stack } = error
  const coded: FwErrorCode = withCode('FW_INVALID_STATUS', error).code
  expect(coded).toBe('FW_INVALID_STATUS')
  expect(error).toMatchObject({ code: 'FW_INVALID_STATUS', name: 'RangeError', message: 'out of range', stack })
})

it('appears in the output of an uncaught error', () => {
  expect(inspect(withCode('FW_INVALID_PATH', new TypeError('no path')))).toContain("code: 'FW_INVALID_PATH'")
})

it('does not compile with an unknown code', () => {
  // @ts-expect-error The code is misspelled.
  expect(withCode('FW_INVALID_PAHT', new Error('')).code).toBe('FW_INVALID_PAHT')
})
