import { expect, it } from 'vitest'
import { redactQuery } from './redact.ts'

it.each([
  ['token=abc&x=1', 'token=REDACTED&x=1'],
  ['TOKEN=abc', 'TOKEN=REDACTED'],
  ['%74oken=abc', '%74oken=REDACTED'],
  ['token=a&b=1&token=c', 'token=REDACTED&b=1&token=REDACTED'],
  ['token=a=b', 'token=REDACTED'],
  ['api+key=a&api%20key=b', 'api+key=REDACTED&api%20key=REDACTED'],
  ['tokens=3&mytoken=4', 'tokens=3&mytoken=4'],
  ['token&token=', 'token&token='],
  ['%zz=1&token=s', '%zz=1&token=REDACTED'],
  ['', ''],
])('redactQuery(%j) is %j', (query, expected) => {
  expect(redactQuery(query, new Set(['token', 'api key']))).toBe(expected)
})
