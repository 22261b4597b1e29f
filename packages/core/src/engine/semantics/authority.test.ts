import { expect, it } from 'vitest'
import { hasPort, isAuthority } from './authority.ts'

it.each([
  ['localhost', true],
  ['localhost:8080', true],
  ['a.b-c_d~e', true],
  ['127.0.0.1:1', true],
  ['[::1]', true],
  ['[::ffff:1.2.3.4]:443', true],
  ['a:', true],
  ['a%20b', true],
  ['%C3%a9', true],
  ['[v1.a]', true],
  ['[vF.a:b~]:1', true],
  ['', false],
  [':80', false],
  ['a%zz', false],
  ['a%2', false],
  ['%', false],
  ['[v.a]', false],
  ['[v1.]', false],
  ['[v1.a%20]', false],
  ['a:65536', false],
  ['a:b', false],
  ['a b', false],
  ['a,b', false],
  ['a/b', false],
  ['u@a', false],
  ['::1', false],
  ['[1]', false],
  ['[::1', false],
])('reports isAuthority(%j) as %j', (value, want) => {
  expect(isAuthority(value)).toBe(want)
})

it.each([
  ['a:80', true],
  ['[::1]:80', true],
  ['a', false],
  ['a:', false],
  ['[::1]', false],
])('reports hasPort(%j) as %j', (value, want) => {
  expect(hasPort(value)).toBe(want)
})
