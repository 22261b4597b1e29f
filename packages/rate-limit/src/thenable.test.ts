import { describe, expect, it } from 'vitest'
import { isThenable } from './thenable.ts'

describe('isThenable', () => {
  it.each([
    ['a promise', Promise.resolve(1), true],
    // oxlint-disable-next-line unicorn/no-thenable -- the subject of the test
    ['an object with then()', { then: () => {} }, true],
    // oxlint-disable-next-line unicorn/no-thenable -- the subject of the test
    ['an object whose then is not a function', { then: 1 }, false],
    ['an object', {}, false],
    ['a string', 'then', false],
    ['a number', 1, false],
    ['null', null, false],
    ['undefined', undefined, false],
  ])('reports whether $0 is thenable: $2', (_, value, expected) => {
    expect(isThenable<unknown>(value)).toBe(expected)
  })
})
