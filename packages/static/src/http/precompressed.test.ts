import { expect, it } from 'vitest'
import { acceptedCodings } from './precompressed.ts'

it.each<[string | null, readonly string[]]>([
  [null, ['identity']],
  ['', ['identity']],
  ['gzip', ['gzip', 'identity']],
  ['br', ['br', 'identity']],
  ['gzip, deflate, br, zstd', ['br', 'zstd', 'gzip', 'identity']],
  ['gzip;q=1, br;q=0.5', ['gzip', 'br', 'identity']],
  ['br;q=0, gzip', ['gzip', 'identity']],
  ['gzip;q=0', ['identity']],
  ['gzip ; Q=0 , br ; q=1.0', ['br', 'identity']],
  ['GZIP', ['gzip', 'identity']],
  ['x-gzip', ['gzip', 'identity']],
  ['*', ['br', 'zstd', 'gzip', 'identity']],
  ['*;q=0', []],
  ['*;q=0, gzip', ['gzip']],
  ['*;q=0.1, gzip;q=0.5', ['gzip', 'br', 'zstd', 'identity']],
  ['identity;q=0, br', ['br']],
  ['identity;q=0', []],
  ['identity, gzip;q=0.5', ['identity', 'gzip']],
  ['identity;q=0.5, gzip;q=0.001', ['identity', 'gzip']],
  ['gzip;q=0.001', ['gzip', 'identity']],
  ['deflate', ['identity']],
  ['foobr, gzipx', ['identity']],
  [';;,,=q=;', ['identity']],
])('parses Accept-Encoding %j as %j', (field, codings) => {
  expect(acceptedCodings(field)).toEqual(codings)
})
