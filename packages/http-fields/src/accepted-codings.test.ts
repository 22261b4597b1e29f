import { expect, it } from 'vitest'
import { acceptedCodings } from './accepted-codings.ts'

it.each([
  [null, ['identity']],
  ['', ['identity']],
  ['gzip', ['gzip', 'identity']],
  ['x-gzip', ['gzip', 'identity']],
  ['gzip, br', ['br', 'gzip', 'identity']],
  ['gzip, br;q=0.9', ['gzip', 'br', 'identity']],
  ['*', ['br', 'gzip', 'identity']],
  ['*;q=0', []],
  ['identity;q=0', []],
  ['gzip, identity;q=0', ['gzip']],
  ['gzip, *;q=0', ['gzip']],
  ['identity, gzip;q=0.5', ['identity', 'gzip']],
  ['deflate', ['identity']],
])('reads the content codings in Accept-Encoding %j as %j', (field, codings) => {
  expect(acceptedCodings(field, ['br', 'gzip', 'identity'])).toEqual(codings)
})

it('returns an empty list without Accept-Encoding if identity is not offered', () => {
  expect(acceptedCodings(null, ['gzip'])).toEqual([])
})
