import { describe, expect, it } from 'vitest'
import { MEMORY_ATTACKS } from './attacks.ts'
import { underAttack } from './under-attack.ts'

const MIB = 2 ** 20
/** Size of the body that can exceed the budget: it starts below the limit. */
const BODY_BYTES = 2 * MIB
/**
 * Growth of resident memory in bytes besides the budget. Handlers that started before the first body was held allocate
 * bodies. Those stay, like refused ones, until the small heap forces garbage collection. All bodies would be 4 GB.
 */
const GARBAGE_BYTES = 200 * MIB
/**
 * Maximum CPU time in milliseconds that the server spends on others while a request waits. It is 5 times the 99th percentile
 * of a quiet server on two shared cores. The handlers of all streams in a row take from 300 to 5,000 ms.
 */
const MAX_WAIT_MS = 50

describe('a server with a heap of 512 MiB and 20 connections of 100 unread streams', () => {
  it.each([...MEMORY_ATTACKS.keys()])(
    'serves other clients immediately and within its memory limit (%s)',
    async (name) => {
      const result = await underAttack(name, 20, 2, 2, 'memory-target.ts')
      const { grownBytes, bufferedBytes, bufferLimitBytes, latenciesMs, serverCpuMs, failures } = result
      expect(latenciesMs).toHaveLength(100)
      expect(failures).toBe(0)
      expect(bufferedBytes).toBeGreaterThanOrEqual(BODY_BYTES)
      expect(bufferedBytes).toBeLessThanOrEqual(bufferLimitBytes + BODY_BYTES)
      expect(grownBytes).toBeLessThan(bufferLimitBytes + GARBAGE_BYTES)
      expect(serverCpuMs[98]).toBeLessThan(MAX_WAIT_MS)
    },
  )
})
