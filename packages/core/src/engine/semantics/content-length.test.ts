import { expect, it } from 'vitest'
import { judgeContentLength } from './content-length.ts'

it.each([
  ['0', 0],
  ['12', 12],
  ['0012', 12],
  [`${'0'.repeat(1000)}1`, 1],
  ['9007199254740991', 2 ** 53 - 1],
])('accepts %s', (value, length) => {
  expect(judgeContentLength(value)).toEqual({ kind: 'ok', value: length })
})

it.each(['', ' 5', '+5', '-0', '0x5', '1e3', '5.0', '1_0', '5, 5', '5,5', '٥', '9007199254740992', '9'.repeat(400)])(
  'rejects %j as malformed',
  (value) => {
    expect(judgeContentLength(value)).toEqual({ kind: 'malformed', reason: 'Invalid Content-Length' })
  },
)
