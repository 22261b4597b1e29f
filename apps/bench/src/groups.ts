import type { Comparison } from './comparison.ts'
import { httpComparison } from './http/http-candidate.ts'
import { HTTP1_PEERS } from './http1/peers.ts'
import { HTTP1_SCENARIOS } from './http1/scenarios.ts'
import type { ProgramName } from './programs.ts'

/** Comparisons that belong together. */
export interface Group {
  /** Programs without which nothing in it can be measured. */
  readonly programs: readonly ProgramName[]
  readonly comparisons: readonly Comparison[]
}

export const GROUPS: Readonly<Record<string, Group>> = {
  http1: {
    programs: ['wrk'],
    comparisons: HTTP1_SCENARIOS.map((scenario) => httpComparison(scenario, HTTP1_PEERS)),
  },
}
