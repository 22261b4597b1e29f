import { describe, expect, it } from 'vitest'
import { MEMORY_ATTACKS } from './attacks.ts'
import { HEAP_BYTES, underAttack } from './under-attack.ts'

const MIB = 2 ** 20
/** Size of the body that can exceed the budget, because its handler starts below the limit. */
const BODY_BYTES = 2 * MIB
/** Growth of live memory beyond the budget, in bytes, for the objects of 20 connections and 2,000 streams. */
const OBJECTS_BYTES = 16 * MIB
/**
 * Maximum number of bodies that handlers create in one event-loop turn, during which another client's request can wait.
 * Without a limit, each turn creates the bodies of all streams that were opened since the last turn.
 */
const MAX_BODIES_PER_TURN = 10
/**
 * Maximum median of the CPU time in milliseconds that the server spends on others while a request waits. Running the
 * handlers of all streams one after the other would take from 300 to 5,000 ms.
 */
const MAX_WAIT_MS = 50

describe('a server with a heap of 512 MiB and 20 connections of 100 unread streams', () => {
  it.each([...MEMORY_ATTACKS.keys()])(
    'serves other clients immediately and within its memory limit (%s)',
    async (name) => {
      const result = await underAttack(name, 20, 2, 2, 'memory-target.ts')
      const { grownBytes, retainedBytes, bufferedBytes, bufferLimitBytes, latenciesMs } = result
      const { serverCpuMs, maxBodiesPerTurn, failures } = result
      expect(latenciesMs).toHaveLength(100)
      expect(failures).toBe(0)
      expect(bufferedBytes).toBeGreaterThanOrEqual(BODY_BYTES)
      expect(bufferedBytes).toBeLessThanOrEqual(bufferLimitBytes + BODY_BYTES)
      expect(retainedBytes).toBeLessThan(bufferLimitBytes + OBJECTS_BYTES)
      // Garbage stays in memory until the heap is full. All bodies together would use 4 GB.
      expect(grownBytes).toBeLessThan(bufferLimitBytes + HEAP_BYTES)
      expect(maxBodiesPerTurn).toBeLessThanOrEqual(MAX_BODIES_PER_TURN)
      expect(serverCpuMs[49]).toBeLessThan(MAX_WAIT_MS)
    },
  )
})
