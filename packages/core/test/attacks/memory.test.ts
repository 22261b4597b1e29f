import { describe, expect, it } from 'vitest'
import { MEMORY_ATTACKS } from './attacks.ts'
import { underAttack } from './under-attack.ts'

/** The default budget, and bodies of refused responses that the garbage collector has not freed. Held, they are 4 GB. */
const MAX_GROWTH_BYTES = 600 * 2 ** 20

describe('a server with a heap of 512 MiB, under attack by 20 connections of 100 streams that read nothing', () => {
  it.each([...MEMORY_ATTACKS.keys()])('serves others and holds its memory (%s)', async (name) => {
    const { grownBytes, latenciesMs, failures } = await underAttack(name, 20, 2, 2, 'memory-target.ts')
    expect(latenciesMs).toHaveLength(100)
    expect(failures).toBe(0)
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES)
  })
})
