import { expect, it } from 'vitest'
import { useAsDictionary } from './use-as-dictionary.ts'

it.each([
  [{ match: '/app/*.js' }, 'match="/app/*.js"'],
  [{ match: '/product/*', destinations: ['document'] as const }, 'match="/product/*", match-dest=("document")'],
  [{ match: '/*', destinations: ['script', ''] as const }, 'match="/*", match-dest=("script" "")'],
  [{ match: '/app/*/main.js', id: 'dictionary-12345' }, 'match="/app/*/main.js", id="dictionary-12345"'],
  [{ match: '/a"b\\c*', id: '' }, 'match="/a\\"b\\\\c*"'],
])('serializes %j', (use, expected) => {
  expect(useAsDictionary(use)).toBe(expected)
})
