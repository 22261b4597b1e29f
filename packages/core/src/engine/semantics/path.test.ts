import { expect, it } from 'vitest'
import { isPath } from './path.ts'

it.each([
  ['GET', '/', true],
  ['GET', '/a/../b?c=%zz&d[]=|', true],
  ['GET', '//a', true],
  ['OPTIONS', '*', true],
  ['GET', '*', false],
  ['OPTIONS', '**', false],
  ['GET', '', false],
  ['GET', 'a', false],
  ['GET', '?a', false],
  ['GET', '/a b', false],
  ['GET', '/a#b', false],
  ['GET', '/\t', false],
  ['GET', '/\x7f', false],
  ['GET', '/\xe9', false],
  ['GET', '/a\n', false],
])('reports isPath(%j, %j) as %j', (method, path, want) => {
  expect(isPath(method, path)).toBe(want)
})
