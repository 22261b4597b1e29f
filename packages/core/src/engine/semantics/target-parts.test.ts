import { expect, it } from 'vitest'
import { splitTarget } from './target-parts.ts'

it.each([
  ['GET', '/', undefined, undefined, '/'],
  ['GET', '/http://a/', undefined, undefined, '/http://a/'],
  ['GET', 'http://a:1/b?c', 'http', 'a:1', '/b?c'],
  ['GET', 'HTTPS://a', 'HTTPS', 'a', '/'],
  ['GET', 'http://a?b', 'http', 'a', '/?b'],
  ['GET', 'http:///b', 'http', '', '/b'],
  ['GET', 'ftp://a/', 'ftp', 'a', '/'],
  ['GET', 'a:80', undefined, undefined, 'a:80'],
  ['OPTIONS', '*', undefined, undefined, '*'],
  ['CONNECT', 'a:443', undefined, 'a:443', undefined],
  ['CONNECT', '/a', undefined, '/a', undefined],
])('splits the target of %s %s', (method, target, scheme, authority, path) => {
  expect(splitTarget(method, target)).toEqual({ scheme, authority, path })
})
