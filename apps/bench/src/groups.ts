import type { Comparison } from './comparison.ts'
import { httpComparison } from './http/http-candidate.ts'
import { ACCESS_LOG_PEERS } from './access-log/peers.ts'
import { ACCESS_LOG_SCENARIOS } from './access-log/scenarios.ts'
import { ACCESS_LOG_IN_PROCESS } from './access-log/without-sockets.ts'
import { COMPRESS_PEERS } from './compress/peers.ts'
import { COMPRESS_SCENARIOS } from './compress/scenarios.ts'
import { SSE_COMPARISONS } from './fan-out/comparisons.ts'
import { GROWTH_COMPARISONS } from './growth/comparisons.ts'
import { HTTP1_PEERS } from './http1/peers.ts'
import { HTTP1_SCENARIOS } from './http1/scenarios.ts'
import { HTTP2_PEERS } from './http2/peers.ts'
import { HTTP2_SCENARIOS } from './http2/scenarios.ts'
import { MIDDLEWARE_PEERS } from './middleware/peers.ts'
import { MIDDLEWARE_SCENARIOS } from './middleware/scenarios.ts'
import { STARTUP_COMPARISONS } from './startup/comparisons.ts'
import { STATIC_PEERS } from './static/peers.ts'
import { STATIC_SCENARIOS } from './static/scenarios.ts'
import { HTTP3_PEERS } from './http3/peers.ts'
import { HTTP3_SCENARIOS } from './http3/scenarios.ts'
import { LOG_COMPARISONS } from './log/comparisons.ts'
import { MEMORY_COMPARISONS } from './memory/comparisons.ts'
import { ROUTER_COMPARISONS } from './routing/comparisons.ts'
import { TRACING_COMPARISONS } from './tracing/comparisons.ts'
import type { ProgramName } from './programs.ts'

/** Related comparisons, which `pnpm bench <group>` runs together. */
export interface Group {
  /** Programs that every comparison in the group needs. */
  readonly programs: readonly ProgramName[]
  /** Whether the length of a round is set in seconds. */
  readonly isTimed: boolean
  /** Maximum number of attempts for a turn that other virtual machines disturb. */
  readonly maxTurns: number
  readonly comparisons: readonly Comparison[]
}

/**
 * Maximum number of attempts for figures that are totals over a turn. Such totals include the moments in which other
 * virtual machines used the CPU.
 */
const MAX_TURNS = 4

export const GROUPS: Readonly<Record<string, Group>> = {
  http1: {
    isTimed: true,
    maxTurns: MAX_TURNS,
    programs: ['wrk'],
    comparisons: HTTP1_SCENARIOS.map((scenario) => httpComparison(scenario, HTTP1_PEERS)),
  },
  http2: {
    isTimed: true,
    maxTurns: MAX_TURNS,
    programs: ['h2load'],
    comparisons: HTTP2_SCENARIOS.map((scenario) => httpComparison(scenario, HTTP2_PEERS)),
  },
  http3: {
    isTimed: true,
    maxTurns: MAX_TURNS,
    programs: [],
    comparisons: HTTP3_SCENARIOS.map((scenario) => httpComparison(scenario, HTTP3_PEERS)),
  },
  'access-log': {
    isTimed: true,
    maxTurns: MAX_TURNS,
    programs: ['wrk'],
    comparisons: [
      ...ACCESS_LOG_SCENARIOS.map((scenario) => httpComparison(scenario, ACCESS_LOG_PEERS)),
      ACCESS_LOG_IN_PROCESS,
    ],
  },
  log: { isTimed: false, maxTurns: 1, programs: [], comparisons: LOG_COMPARISONS },
  sse: { isTimed: false, maxTurns: MAX_TURNS, programs: [], comparisons: SSE_COMPARISONS },
  router: { isTimed: false, maxTurns: 1, programs: [], comparisons: ROUTER_COMPARISONS },
  static: {
    isTimed: true,
    maxTurns: MAX_TURNS,
    programs: ['wrk'],
    comparisons: STATIC_SCENARIOS.map((scenario) => httpComparison(scenario, STATIC_PEERS)),
  },
  compress: {
    isTimed: true,
    maxTurns: MAX_TURNS,
    programs: ['wrk'],
    comparisons: COMPRESS_SCENARIOS.map((scenario) => httpComparison(scenario, COMPRESS_PEERS)),
  },
  middleware: {
    isTimed: true,
    maxTurns: MAX_TURNS,
    programs: ['wrk'],
    comparisons: MIDDLEWARE_SCENARIOS.map((scenario) => httpComparison(scenario, MIDDLEWARE_PEERS)),
  },
  memory: { isTimed: false, maxTurns: 1, programs: ['wrk'], comparisons: MEMORY_COMPARISONS },
  startup: { isTimed: false, maxTurns: 1, programs: [], comparisons: STARTUP_COMPARISONS },
  tracing: { isTimed: false, maxTurns: 1, programs: [], comparisons: TRACING_COMPARISONS },
  growth: { isTimed: true, maxTurns: MAX_TURNS, programs: ['wrk'], comparisons: GROWTH_COMPARISONS },
}
