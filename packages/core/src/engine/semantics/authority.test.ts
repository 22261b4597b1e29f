import { expect, it } from 'vitest'
import { isHost } from './authority.ts'

it.each([
  ['localhost', true],
  ['localhost:8080', true],
  ['a.b-c_d~e', true],
  ['127.0.0.1:1', true],
  ['[::1]', true],
  ['[::ffff:1.2.3.4]:443', true],
  ['', true],
  ['a:', true],
  ['a%20b', true],
  ['a:65536', false],
  ['a:b', false],
  ['a b', false],
  ['a,b', false],
  ['a/b', false],
  ['u@a', false],
  ['::1', false],
  ['[1]', false],
  ['[::1', false],
])('isHost(%j) is %j', (value, want) => {
  expect(isHost(value)).toBe(want)
})
