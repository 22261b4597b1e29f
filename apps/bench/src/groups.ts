import type { Comparison } from './comparison.ts'
import { httpComparison } from './http/http-candidate.ts'
import { ACCESS_LOG_PEERS } from './access-log/peers.ts'
import { ACCESS_LOG_SCENARIOS } from './access-log/scenarios.ts'
import { ACCESS_LOG_ALONE } from './access-log/without-sockets.ts'
import { SSE_COMPARISONS } from './fan-out/comparisons.ts'
import { GROWTH_COMPARISONS } from './growth/comparisons.ts'
import { HTTP1_PEERS } from './http1/peers.ts'
import { HTTP1_SCENARIOS } from './http1/scenarios.ts'
import { HTTP2_PEERS } from './http2/peers.ts'
import { HTTP2_SCENARIOS } from './http2/scenarios.ts'
import { STARTUP_COMPARISONS } from './startup/comparisons.ts'
import { STATIC_PEERS } from './static/peers.ts'
import { STATIC_SCENARIOS } from './static/scenarios.ts'
import { HTTP3_PEERS } from './http3/peers.ts'
import { HTTP3_SCENARIOS } from './http3/scenarios.ts'
import { LOG_COMPARISONS } from './log/comparisons.ts'
import { MEMORY_COMPARISONS } from './memory/comparisons.ts'
import { ROUTER_COMPARISONS } from './routing/comparisons.ts'
import type { ProgramName } from './programs.ts'

/** Comparisons that belong together. */
export interface Group {
  /** Programs without which nothing in it can be measured. */
  readonly programs: readonly ProgramName[]
  /** Whether a round is load for so many seconds. */
  readonly isTimed: boolean
  readonly comparisons: readonly Comparison[]
}

export const GROUPS: Readonly<Record<string, Group>> = {
  http1: {
    isTimed: true,
    programs: ['wrk'],
    comparisons: HTTP1_SCENARIOS.map((scenario) => httpComparison(scenario, HTTP1_PEERS)),
  },
  http2: {
    isTimed: true,
    programs: ['h2load'],
    comparisons: HTTP2_SCENARIOS.map((scenario) => httpComparison(scenario, HTTP2_PEERS)),
  },
  http3: {
    isTimed: true,
    programs: [],
    comparisons: HTTP3_SCENARIOS.map((scenario) => httpComparison(scenario, HTTP3_PEERS)),
  },
  'access-log': {
    isTimed: true,
    programs: ['wrk'],
    comparisons: [
      ...ACCESS_LOG_SCENARIOS.map((scenario) => httpComparison(scenario, ACCESS_LOG_PEERS)),
      ACCESS_LOG_ALONE,
    ],
  },
  log: { isTimed: false, programs: [], comparisons: LOG_COMPARISONS },
  sse: { isTimed: false, programs: [], comparisons: SSE_COMPARISONS },
  router: { isTimed: false, programs: [], comparisons: ROUTER_COMPARISONS },
  static: {
    isTimed: true,
    programs: ['wrk'],
    comparisons: STATIC_SCENARIOS.map((scenario) => httpComparison(scenario, STATIC_PEERS)),
  },
  memory: { isTimed: false, programs: ['wrk'], comparisons: MEMORY_COMPARISONS },
  startup: { isTimed: false, programs: [], comparisons: STARTUP_COMPARISONS },
  growth: { isTimed: true, programs: ['wrk'], comparisons: GROWTH_COMPARISONS },
}
