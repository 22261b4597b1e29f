import { targetOf } from '../http/http-candidate.ts'
import type { HttpScenario } from '../http/scenario.ts'
import { TOOLS } from '../http/tools.ts'
import type { Run } from '../run.ts'
import type { ServerProcess } from '../server-process.ts'

/** Seconds of load per scenario before the next one starts. */
const TURN_SECONDS = 2

/** Cycles through the scenarios for a number of seconds. @returns the number of requests */
export async function loadAll(
  server: ServerProcess,
  scenarios: readonly HttpScenario[],
  run: Run,
  seconds: number,
): Promise<number> {
  const end = performance.now() + seconds * 1000
  let requests = 0
  while (performance.now() < end) {
    for (const scenario of scenarios) {
      if (performance.now() >= end) break
      const load = await TOOLS[scenario.tool].load(await targetOf(server, scenario, run), TURN_SECONDS)
      requests += load.requests
    }
  }
  return requests
}
