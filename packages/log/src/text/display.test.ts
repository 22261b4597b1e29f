import { expect, it } from 'vitest'
import { display } from './display.ts'

class Point {
  readonly x = 1
  readonly #hidden = 2
  get sum(): number {
    return this.x + this.#hidden
  }
}

it.each([
  ['text unchanged', 'a "b" \n', 'a "b" \n'],
  ['a number', 1.5, '1.5'],
  ['negative zero', -0, '0'],
  ['NaN', Number.NaN, 'NaN'],
  ['a bigint without its n', 2n ** 70n, '1180591620717411303424'],
  ['a boolean', true, 'true'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['a symbol', Symbol('s'), 'Symbol(s)'],
  ['a function', function named() {}, '[Function: named]'],
  ['an array', [1, 'a', [2]], "[ 1, 'a', [ 2 ] ]"],
  ['an object', { a: { b: { c: { d: 1 } } } }, '{ a: { b: { c: { d: 1 } } } }'],
  ['a Map', new Map([['k', { v: 1 }]]), "Map(1) { 'k' => { v: 1 } }"],
  ['a Set', new Set([1]), 'Set(1) { 1 }'],
  ['an instance with its class', new Point(), 'Point { x: 1 }'],
  ['an object without a prototype', Object.create(null), '[Object: null prototype] {}'],
  ['a date in UTC', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a URL as its text', new URL('http://u@h:1/p?q#f'), 'http://u@h:1/p?q#f'],
  ['bytes', new Uint8Array([1, 2]), 'Uint8Array(2) [ 1, 2 ]'],
])('shows %s', (_what, value, text) => {
  expect(display(value)).toBe(text)
})

it('shows an object on one line, regardless of its width', () => {
  const wide = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`key${at}`, { nested: ['x'.repeat(20)] }]))
  expect(display(wide)).not.toContain('\n')
})

it('marks the circular reference in an object', () => {
  const value: Record<string, unknown> = { a: 1 }
  value.self = value
  expect(display(value)).toBe('<ref *1> { a: 1, self: [Circular *1] }')
})

it('shows an error with its stack, its own properties and its causes', () => {
  const inner = Object.assign(new TypeError('inner'), { code: 'E_INNER' })
  const text = display(new Error('outer', { cause: inner }))
  expect(text).toMatch(/^Error: outer\n\s+at /)
  expect(text).toContain('[cause]: TypeError: inner')
  expect(text).toContain("code: 'E_INNER'")
})

it('shows every error in an AggregateError', () => {
  const text = display(new AggregateError([new Error('first'), new Error('second')], 'all'))
  expect(text).toContain('Error: first')
  expect(text).toContain('Error: second')
})

it.each([
  [
    'a throwing inspect method',
    {
      [Symbol.for('nodejs.util.inspect.custom')]() {
        throw new Error('no')
      },
    },
  ],
  [
    'a proxy whose every trap throws',
    new Proxy(
      {},
      {
        getPrototypeOf() {
          throw new Error('no')
        },
      },
    ),
  ],
])('does not throw for %s', (_what, value) => {
  expect(display(value)).toEqual(expect.any(String))
})

it('does not throw for a revoked proxy', () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  expect(display(proxy)).toEqual(expect.any(String))
})

it('does not run getters', () => {
  let ran = false
  const value = {
    get secret() {
      ran = true
      return 1
    },
  }
  display(value)
  expect(ran).toBe(false)
})

it('truncates very long text in objects', () => {
  expect(display({ text: 'x'.repeat(1_000_000) }).length).toBeLessThan(20_000)
})
