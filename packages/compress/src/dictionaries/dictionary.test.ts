import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { isRaw, parseAvailable } from './dictionary.ts'

const HASH = createHash('sha256').update('x').digest('base64')

it.each([
  [`:${HASH}:`, true],
  [` :${HASH}: `, true],
  [`:${HASH}:;a=1`, true],
  [`"${HASH}"`, false],
  [HASH, false],
  [`:${HASH}:, :${HASH}:`, false],
  [':YWJj:', false],
  [`:${HASH.slice(0, -4)}:`, false],
  ['::', false],
  ['', false],
  [null, false],
])('parses Available-Dictionary: %j: %s', (field, isValid) => {
  const digest = parseAvailable(field)
  expect(digest === undefined ? undefined : Buffer.from(digest).toString('base64')).toBe(isValid ? HASH : undefined)
})

it.each([
  ['37a430ec00000000', false],
  ['37a430ec', false],
  ['37a430', true],
  ['37a430ed', true],
  ['', true],
])('reports whether bytes can be a dictionary: %s: %s', (hex, expected) => {
  expect(isRaw(Buffer.from(hex, 'hex'))).toBe(expected)
})
