import type { Measurement } from '../comparison.ts'
import { measureServer } from '../http/http-candidate.ts'
import type { HttpScenario } from '../http/scenario.ts'
import type { Run } from '../run.ts'
import type { ServerProcess } from '../server-process.ts'
import type { HeapReport } from '../server-program.ts'

/** Measures the bytes that the server allocates per request, including the warm-up. */
export async function measureAllocation(server: ServerProcess, scenario: HttpScenario, run: Run): Promise<Measurement> {
  const before = await heapOf(server)
  const { figures, requests } = await measureServer(server, scenario, run)
  const after = await heapOf(server)
  return { ...figures, allocatedBytes: (after.allocatedBytes - before.allocatedBytes) / requests }
}

/** Requests a heap report from a server program. */
export async function heapOf(server: ServerProcess): Promise<HeapReport> {
  return (await server.ask('heap')) as HeapReport
}
