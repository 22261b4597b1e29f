import { describe, expect, it } from 'vitest'
import { ATTACKS, type AttackName } from './attacks.ts'
import { underAttack } from './under-attack.ts'

/** What an attack of 50 connections may cost: more than the heap's own ups and downs, less than what was sent. */
const MAX_GROWTH_BYTES = 200 * 2 ** 20

describe('a server under attack', () => {
  it.each(Object.keys(ATTACKS) as AttackName[])('by %s serves others and holds its memory', async (name) => {
    const { grownBytes, latenciesMs, failures } = await underAttack(name, 50, 1, 0.2)
    expect(latenciesMs).toHaveLength(50)
    expect(failures).toBe(0)
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES)
  })
})
