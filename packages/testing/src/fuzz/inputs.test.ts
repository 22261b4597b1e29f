import { describe, expect, it } from 'vitest'
import { cut, mutate, randomBytes } from './inputs.ts'
import { Random } from './random.ts'

const seeds = Array.from({ length: 200 }, (_, seed) => seed)

function numbers(seed: number): number[] {
  const random = new Random(seed)
  return Array.from({ length: 5 }, () => random.next())
}

describe('Random', () => {
  it('returns the same numbers for the same seed, and different numbers for the next seed', () => {
    expect(numbers(7)).toEqual(numbers(7))
    expect(numbers(7)).not.toEqual(numbers(8))
    expect(Random.of('a').next()).toBe(Random.of('a').next())
    expect(Random.of('a').next()).not.toBe(Random.of('b').next())
  })

  it('picks every item and rejects an empty list', () => {
    const random = new Random(1)
    expect(new Set(seeds.map(() => random.pick(['a', 'b', 'c'])))).toEqual(new Set(['a', 'b', 'c']))
    expect(() => random.pick([])).toThrow(RangeError)
  })
})

describe('an input', () => {
  it('consists of the nonempty slices that cut returns', () => {
    for (const seed of seeds) {
      const bytes = Buffer.from('abcdefghij'.slice(0, seed % 11))
      const slices = cut(bytes, new Random(seed))
      expect(Buffer.concat(slices)).toEqual(bytes)
      expect(slices.every((slice) => slice.length > 0)).toBe(true)
    }
  })

  it('mutates into many strings, which contain only its own parts and the pieces', () => {
    const texts = seeds.map((seed) => mutate('aaaaaaaaaa', new Random(seed), ['x', 'yz']))
    expect(new Set(texts).size).toBeGreaterThan(100)
    for (const text of texts) expect(text).toMatch(/^[axyz]*$/)
  })

  it('contains fewer random bytes than the given length', () => {
    const texts = seeds.map((seed) => randomBytes(new Random(seed), 10))
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(10)
    expect(texts.every((text) => /^[\0-\xff]*$/.test(text))).toBe(true)
  })
})
