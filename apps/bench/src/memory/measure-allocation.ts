import type { Measurement } from '../comparison.ts'
import { measureServer } from '../http/http-candidate.ts'
import type { HttpScenario } from '../http/scenario.ts'
import type { Run } from '../run.ts'
import type { ServerProcess } from '../server-process.ts'
import type { HeapReport } from '../server-program.ts'

/** Bytes that are allocated for each request, the warm-up included: V8 counts them all. */
export async function measureAllocation(server: ServerProcess, scenario: HttpScenario, run: Run): Promise<Measurement> {
  const before = await heapOf(server)
  const { figures, requests } = await measureServer(server, scenario, run)
  const after = await heapOf(server)
  return { ...figures, allocatedBytes: (after.allocatedBytes - before.allocatedBytes) / requests }
}

/** What the heap of a server program looks like. */
export async function heapOf(server: ServerProcess): Promise<HeapReport> {
  return (await server.ask('heap')) as HeapReport
}
