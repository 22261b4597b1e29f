import { expect, it } from 'vitest'
import { ROUTES } from './messages.ts'
import { protocolIndex, protocolName, rowOf } from './row-of.ts'

it.each([
  ['/api/hello/:name', 200, '/api/hello/:name'],
  ['/*path', 200, '/*path'],
  ['/*path', 404, 'no route'],
  [undefined, 404, 'no route'],
  ['/healthz', 200, 'other routes'],
])('puts %j with status %i into row %j', (pattern, status, row) => {
  expect(ROUTES[rowOf(pattern, status)]).toBe(row)
})

it('returns the short names of the protocols', () => {
  expect(
    (['HTTP/1.1', 'HTTP/2.0', 'HTTP/3.0'] as const).map((each) => [protocolName(each), protocolIndex(each)]),
  ).toEqual([
    ['h1', 0],
    ['h2', 1],
    ['h3', 2],
  ])
})
