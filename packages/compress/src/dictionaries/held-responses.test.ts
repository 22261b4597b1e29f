import { expect, it } from 'vitest'
import { dictionaryOf } from './dictionary.ts'
import { HeldResponses } from './held-responses.ts'

const LENGTH = 1000
/** A dictionary with what its entry takes. */
const ENTRY = LENGTH + 512

function fill(held: HeldResponses, ...keys: readonly string[]): void {
  for (const key of keys) held.add(key, dictionaryOf(Buffer.alloc(LENGTH, key)))
}

function keysOf(held: HeldResponses, keys: string): string {
  return [...keys].filter((key) => held.get(key) !== undefined).join('')
}

it('drops the least recently used dictionary first', () => {
  const held = new HeldResponses(3 * ENTRY)
  fill(held, 'a', 'b', 'c')
  held.get('a')
  fill(held, 'd')
  expect([keysOf(held, 'abcd'), held.bytes]).toEqual(['acd', 3 * ENTRY])
})

it.each([
  [3 * ENTRY, 'abc'],
  [3 * ENTRY - 1, 'bc'],
])('holds what fits into %i bytes', (maxBytes, expected) => {
  const held = new HeldResponses(maxBytes)
  fill(held, 'a', 'b', 'c')
  expect(keysOf(held, 'abc')).toBe(expected)
  expect(held.bytes).toBeLessThanOrEqual(maxBytes)
})

it('does not hold a dictionary that exceeds the memory alone', () => {
  const held = new HeldResponses(ENTRY)
  fill(held, 'a')
  held.add('b', dictionaryOf(Buffer.alloc(LENGTH + 1)))
  expect([held.fits(LENGTH), held.fits(LENGTH + 1), keysOf(held, 'ab')]).toEqual([true, false, 'a'])
})

it('counts a dictionary once', () => {
  const held = new HeldResponses(3 * ENTRY)
  fill(held, 'a', 'a')
  expect(held.bytes).toBe(ENTRY)
})
