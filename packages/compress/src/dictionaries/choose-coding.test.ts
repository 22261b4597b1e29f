import { expect, it } from 'vitest'
import { chooseCoding } from './choose-coding.ts'

it.each([
  ['gzip, deflate, br, zstd, dcb, dcz', 'dcz'],
  ['dcb, dcz', 'dcz'],
  ['dcb', 'dcb'],
  ['DCB', 'dcb'],
  ['dcz;q=0.5, dcb', 'dcb'],
  ['dcz;q=0, dcb;q=0.1', 'dcb'],
  ['br, dcz;q=0.9', undefined],
  ['identity, dcz;q=0.9', undefined],
  ['identity;q=0.5, dcz;q=0.9', 'dcz'],
  ['dcz;q=0, dcb;q=0', undefined],
  ['dcz;q=x', undefined],
  ['*', undefined],
  ['gzip, *;q=1', undefined],
  ['', undefined],
  [null, undefined],
])('chooses a coding for %j: %s', (acceptEncoding, expected) => {
  expect(chooseCoding(acceptEncoding, ['dcz', 'dcb'])).toBe(expected)
})
