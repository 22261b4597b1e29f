import { describe, expect, it } from 'vitest'
import { leastDisturbed, watchStolenTime } from './stolen-time.ts'

/** Returns a watch that reports these shares one after another. */
const watchOf = (shares: readonly number[]): (() => () => number) => {
  let turn = 0
  return () => () => shares[turn++] ?? Number.NaN
}

describe('leastDisturbed', () => {
  it.each([
    ['the only result if it is undisturbed', [0.02], 1, 1],
    ['the first undisturbed result', [0.3, 0.1, 0.01, 0], 3, 3],
    ['the least disturbed result if all are disturbed', [0.3, 0.1, 0.2, 0.4], 2, 4],
  ])('returns %s', async (_what, shares, result, turns) => {
    let turn = 0
    const taken = await leastDisturbed(() => Promise.resolve(++turn), 4, watchOf(shares))
    expect(taken).toEqual({ result, stolenShare: shares[result - 1], turns })
  })

  it.each([
    ['an undisturbed turn', [0]],
    ['the least disturbed turn', [0.3, 0.1, 0.2, 0.4]],
  ])('rejects with the error from %s', async (_what, shares) => {
    let turn = 0
    const measure = (): Promise<number> => {
      turn++
      return shares.length === 1 || turn === 2 ? Promise.reject(new Error(`turn ${turn}`)) : Promise.resolve(turn)
    }
    await expect(leastDisturbed(measure, 4, watchOf(shares))).rejects.toThrow(`turn ${shares.length === 1 ? 1 : 2}`)
  })

  it('repeats a turn that failed while it was disturbed', async () => {
    let turn = 0
    const measure = (): Promise<number> =>
      ++turn === 1 ? Promise.reject(new Error('The server sent no response')) : Promise.resolve(turn)
    expect(await leastDisturbed(measure, 4, watchOf([0.5, 0]))).toMatchObject({ result: 2, turns: 2 })
  })
})

it('measures a share of stolen time from 0 to 1', () => {
  const share = watchStolenTime()()
  expect(share).toBeGreaterThanOrEqual(0)
  expect(share).toBeLessThanOrEqual(1)
})
