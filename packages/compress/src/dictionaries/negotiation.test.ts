import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { chooseCoding } from './choose-coding.ts'
import { isRaw, parseAvailable } from './dictionary.ts'
import { isSecureContext } from './secure-context.ts'
import { useAsDictionary } from './use-as-dictionary.ts'
import { zstdWindowLog } from './zstd-parameters.ts'

const MIB = 1024 * 1024

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
  [{ match: '/app/*.js' }, 'match="/app/*.js"'],
  [{ match: '/product/*', destinations: ['document'] as const }, 'match="/product/*", match-dest=("document")'],
  [{ match: '/*', destinations: ['script', ''] as const }, 'match="/*", match-dest=("script" "")'],
  [{ match: '/app/*/main.js', id: 'dictionary-12345' }, 'match="/app/*/main.js", id="dictionary-12345"'],
  [{ match: '/a"b\\c*', id: '' }, 'match="/a\\"b\\\\c*"'],
])('serializes %j', (use, expected) => {
  expect(useAsDictionary(use)).toBe(expected)
})

it.each([
  [1000, 1000, 15],
  [1000, 32 * 1024, 15],
  [1000, 32 * 1024 + 1, 16],
  [1000, 8 * MIB, 23],
  // A body of 9 MiB fits into one segment if the client must decode 1.25 times the dictionary.
  [8 * MIB, 9 * MIB, 24],
  // Otherwise, the window is the largest power of two that every client decodes.
  [1000, 9 * MIB, 23],
  [16 * MIB, 21 * MIB, 24],
  [200 * MIB, 127 * MIB, 27],
  [200 * MIB, 300 * MIB, 27],
  [1000, undefined, 21],
  [6 * MIB, undefined, 23],
  [100 * MIB, undefined, 26],
])('returns the window for a dictionary of %i and a body of %s bytes: %i', (dictionary, body, expected) => {
  expect(zstdWindowLog(dictionary, body)).toBe(expected)
})

it.each([
  ['https', 'example.org', true],
  ['http', 'example.org', false],
  ['http', 'localhost', true],
  ['http', 'LOCALHOST:8080', true],
  ['http', 'app.localhost:8080', true],
  ['http', '127.0.0.1:80', true],
  ['http', '127.1.2.3', true],
  ['http', '[::1]:8080', true],
  ['http', 'localhost.example.org', false],
  ['http', 'notlocalhost', false],
  ['http', '127.0.0.1.example.org', false],
  ['http', '10.0.0.1', false],
  ['http', '', false],
] as const)('reports whether %s://%s is a secure context: %s', (scheme, authority, expected) => {
  const ctx = { scheme, exchange: { authority } } as Parameters<typeof isSecureContext>[0]
  expect(isSecureContext(ctx)).toBe(expected)
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
