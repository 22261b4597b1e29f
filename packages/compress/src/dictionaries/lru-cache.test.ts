import { expect, it } from 'vitest'
import { LruCache } from './lru-cache.ts'

interface Value {
  readonly bytes: Uint8Array
}

const LENGTH = 1000
/** A value with what its entry takes. */
const ENTRY = LENGTH + 512

function fill(held: LruCache<Value>, ...keys: readonly string[]): void {
  for (const key of keys) held.add(key, { bytes: Buffer.alloc(LENGTH, key) })
}

function keysOf(held: LruCache<Value>, keys: string): string {
  return Array.from(keys)
    .filter((key) => held.get(key) !== undefined)
    .join('')
}

it('drops the least recently used value first', () => {
  const held = new LruCache<Value>(3 * ENTRY)
  fill(held, 'a', 'b', 'c')
  held.get('a')
  fill(held, 'd')
  expect([keysOf(held, 'abcd'), held.bytes]).toEqual(['acd', 3 * ENTRY])
})

it.each([
  [3 * ENTRY, 'abc'],
  [3 * ENTRY - 1, 'bc'],
])('holds what fits into %i bytes', (maxBytes, expected) => {
  const held = new LruCache<Value>(maxBytes)
  fill(held, 'a', 'b', 'c')
  expect(keysOf(held, 'abc')).toBe(expected)
  expect(held.bytes).toBeLessThanOrEqual(maxBytes)
})

it('does not hold a value that exceeds the memory alone', () => {
  const held = new LruCache<Value>(ENTRY)
  fill(held, 'a')
  held.add('b', { bytes: Buffer.alloc(LENGTH + 1) })
  expect([held.fits(LENGTH), held.fits(LENGTH + 1), keysOf(held, 'ab')]).toEqual([true, false, 'a'])
})

it('counts a value once', () => {
  const held = new LruCache<Value>(3 * ENTRY)
  fill(held, 'a', 'a')
  expect(held.bytes).toBe(ENTRY)
})
