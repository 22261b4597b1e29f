import { parseAdded } from '../access-log/parse-added.ts'
import type { Comparison } from '../comparison.ts'
import { ScriptRounds } from '../routing/script-rounds.ts'

/** Turns per candidate and round. On a busy machine, other processes slow most of them down. */
const TURNS = 100

const rounds = new ScriptRounds(new URL('./in-process.ts', import.meta.url), [String(TURNS)], parseAdded)

/** Measures the CPU time that tracing adds to a request, without a subscriber and with an empty one. */
export const TRACING_COMPARISONS: readonly Comparison[] = [
  {
    name: 'tracing-in-process',
    title:
      'The same request in one process without sockets. Added: CPU time compared with a request without a subscriber; ' +
      `minimum of ${TURNS} turns`,
    reference: 'end of a request',
    metrics: ['addedMicros'],
    // Without a subscriber, tracing costs a request only the checks: at most 30 ns, which is 0.3% of a request over a socket.
    targets: [{ of: 'ten times the checks', metric: 'addedMicros', atMost: 0.3 }],
    candidates: ['ten times the checks', 'end of a request', 'last byte', 'middleware'].map((name) => ({
      name,
      measure: async (run) => ({ addedMicros: await rounds.next(name, run) }),
    })),
  },
]
