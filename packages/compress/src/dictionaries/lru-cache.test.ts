import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { LruCache } from './lru-cache.ts'

interface Value {
  readonly bytes: Uint8Array
}

const LENGTH = 1000
/** A value with what its entry takes. */
const ENTRY = LENGTH + 512 + 2

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
  expect([held.fits(1, LENGTH), held.fits(1, LENGTH + 1), keysOf(held, 'ab')]).toEqual([true, false, 'a'])
})

it('counts a value once', () => {
  const held = new LruCache<Value>(3 * ENTRY)
  fill(held, 'a', 'a')
  expect(held.bytes).toBe(ENTRY)
})

it('counts the characters of keys', () => {
  const held = new LruCache<Value>(ENTRY + 200)
  held.add('a'.repeat(101), { bytes: Buffer.alloc(LENGTH) })
  expect(held.bytes).toBe(ENTRY + 200)
  held.add('b'.repeat(102), { bytes: Buffer.alloc(LENGTH) })
  expect(held.get('b'.repeat(102))).toBe(undefined)
})

it('holds short values in their own memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  const memory = (): number => {
    if (typeof collect === 'function') collect()
    return process.memoryUsage().arrayBuffers
  }
  const held = new LruCache<Value>(1024 * 1024)
  const before = memory()
  for (let i = 0; i < 4000; i++) {
    // Each value is a part of a buffer of 64 KiB, as the results of `node:zlib` are.
    held.add(String(i), { bytes: Buffer.alloc(65_536).subarray(0, 100) })
  }
  expect(held.bytes).toBeGreaterThan(1024 * 1023)
  // V8 can free array buffers after the collection that finds them.
  await expect.poll(() => memory() - before).toBeLessThan(1024 * 1024)
})
