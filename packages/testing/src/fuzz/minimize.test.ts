import { expect, it } from 'vitest'
import { minimize } from './minimize.ts'

const always = (): boolean => true

it.each<[string, unknown, (candidate: never) => boolean, unknown]>([
  ['a string', 'abcXdefghYij', (text: string) => text.includes('X') && text.includes('Y'), 'XY'],
  ['an array', [1, 2, 3, 4, 5], (list: number[]) => list.includes(4), [4]],
  ['a number', 1000, (number: number) => number >= 10, 10],
  [
    'strings in an object',
    { a: 'xxAxx', b: 'yBy' },
    ({ a, b }: Record<string, string>) => /A/.test(a!) && /B/.test(b!),
    { a: 'A', b: 'B' },
  ],
  ['strings in an array', ['ab', 'cd', 'ef'], (list: string[]) => list.join('').includes('d'), ['d']],
  ['an empty string', '', () => true, ''],
])('reduces %s to the smallest that still fails', async (_, input, fails, expected) => {
  const isFailing = async (candidate: unknown): Promise<boolean> => fails(candidate as never)
  expect(await minimize(input, isFailing, always)).toEqual(expected)
})

it('returns the smallest input so far when the time has elapsed', async () => {
  let trials = 0
  const fails = async (text: string): Promise<boolean> => {
    trials++
    return text.includes('X')
  }
  const smallest = await minimize(`${'a'.repeat(1000)}X`, fails, () => trials < 3)
  expect(trials).toBe(3)
  expect(smallest).toContain('X')
  expect(smallest.length).toBeLessThan(1001)
})
