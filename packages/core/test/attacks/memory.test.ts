import { describe, expect, it } from 'vitest'
import { MEMORY_ATTACKS } from './attacks.ts'
import { underAttack } from './under-attack.ts'

/**
 * Maximum growth in bytes: the default budget, plus bodies of refused responses before garbage collection. All bodies
 * together would be 4 GB.
 */
const MAX_GROWTH_BYTES = 600 * 2 ** 20

describe('a server with a heap of 512 MiB and 20 connections of 100 unread streams', () => {
  it.each([...MEMORY_ATTACKS.keys()])('serves other clients within its memory limit (%s)', async (name) => {
    const { grownBytes, latenciesMs, failures } = await underAttack(name, 20, 2, 2, 'memory-target.ts')
    expect(latenciesMs).toHaveLength(100)
    expect(failures).toBe(0)
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES)
  })
})
