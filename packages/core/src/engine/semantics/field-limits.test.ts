import { expect, it } from 'vitest'
import { judgeFieldCount, judgeRequestLine, requestLineBytes } from './field-limits.ts'

const LIMITS = { maxRequestLineBytes: 20, maxFields: 2 }

it.each([
  ['GET', '/'],
  ['CONNECT', 'a:443'],
  ['GET', 'http://a/'],
])('counts the bytes of %s %s HTTP/1.1', (method, target) => {
  expect(requestLineBytes(method, target)).toBe(`${method} ${target} HTTP/1.1`.length)
})

it('refuses a request line above the limit with 414', () => {
  expect(judgeRequestLine(20, LIMITS)).toMatchObject({ kind: 'ok' })
  expect(judgeRequestLine(21, LIMITS)).toMatchObject({ kind: 'refused', status: 414 })
})

it('refuses more fields than allowed with 431', () => {
  expect(judgeFieldCount(2, LIMITS)).toMatchObject({ kind: 'ok' })
  expect(judgeFieldCount(3, LIMITS)).toMatchObject({ kind: 'refused', status: 431 })
})
