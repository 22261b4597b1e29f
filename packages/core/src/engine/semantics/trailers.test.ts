import { expect, it } from 'vitest'
import { allowedTrailers, isTrailerAllowed } from './trailers.ts'

it.each([
  ['x-sum', true],
  ['digest', true],
  ['grpc-status', true],
  ['authorization', false],
  ['content-length', false],
  ['content-type', false],
  ['cookie', false],
  ['expect', false],
  ['host', false],
  ['if-none-match', false],
  ['proxy-authorization', false],
  ['range', false],
  ['te', false],
  ['trailer', false],
  ['transfer-encoding', false],
])('reports isTrailerAllowed(%j) as %j', (name, want) => {
  expect(isTrailerAllowed(name)).toBe(want)
})

it('discards forbidden fields and keeps the order of the others', () => {
  expect(allowedTrailers(['a', '1', 'host', 'x', 'b', '2', 'a', '3'])).toEqual(['a', '1', 'b', '2', 'a', '3'])
})

it('returns the same list if every field is allowed', () => {
  const fields = ['a', '1']
  expect(allowedTrailers(fields)).toBe(fields)
})
