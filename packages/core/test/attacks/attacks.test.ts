import { describe, expect, it } from 'vitest'
import { ATTACKS, type AttackName } from './attacks.ts'
import { underAttack } from './under-attack.ts'

/** Maximum growth in bytes under 50 connections. Above normal heap variation, and below the number of bytes sent. */
const MAX_GROWTH_BYTES = 200 * 2 ** 20

describe('a server under attack', () => {
  it.each(Object.keys(ATTACKS) as AttackName[])('serves other clients within its memory limit: %s', async (name) => {
    const { grownBytes, latenciesMs, failures } = await underAttack(name, 50, 1, 0.2)
    expect(latenciesMs).toHaveLength(50)
    expect(failures).toBe(0)
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES)
  })
})
