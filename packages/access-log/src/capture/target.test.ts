import { expect, it } from 'vitest'
import { splitTarget } from './refused-entry.ts'

it.each([
  ['/a', '/a', ''],
  ['/a?b=c?d', '/a', 'b=c?d'],
  ['/a?', '/a', ''],
  ['//host/x', '//host/x', ''],
  ['http://h.example:80/p?q', '/p', 'q'],
  ['HTTPS://h.example', '/', ''],
  ['http://h.example?q', '/', 'q'],
  ['/r?u=http://x/', '/r', 'u=http://x/'],
  ['*', '*', ''],
  ['example.com:443', 'example.com:443', ''],
  ['user:pw@example.com:443', 'example.com:443', ''],
  ['user:p@w@example.com:443', 'example.com:443', ''],
  ['http://user:pw@h.example/p?q', '/p', 'q'],
  ['user:pw@h.example/p@2?a@b', 'h.example/p@2', 'a@b'],
  ['/@me/p@2?a@b', '/@me/p@2', 'a@b'],
  ['?a@b', '/', 'a@b'],
])('splits %j into path %j and query %j', (target, path, query) => {
  expect(splitTarget(target)).toEqual({ path, query })
})
