import { describe, expect, it } from 'vitest'
import { MEMORY_ATTACKS } from './attacks.ts'
import { underAttack } from './under-attack.ts'

/** A quarter of the heap, as by default, and what the garbage collector has not freed yet. */
const MAX_GROWTH_BYTES = 400 * 2 ** 20

describe('a server with a heap of 512 MiB, under attack by 20 connections of 100 streams that read nothing', () => {
  it.each([...MEMORY_ATTACKS.keys()])('serves others and holds its memory (%s)', async (name) => {
    const { grownBytes, latenciesMs, failures } = await underAttack(name, 20, 2, 2, 'memory-target.ts')
    expect(latenciesMs).toHaveLength(100)
    expect(failures).toBe(0)
    expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES)
  })
})
