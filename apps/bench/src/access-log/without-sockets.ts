import type { Comparison } from '../comparison.ts'
import { ScriptRounds } from '../routing/script-rounds.ts'
import { parseAdded } from './parse-added.ts'

/** Turns per application and round. On a busy machine, other processes slow most of them down. */
const TURNS = 100

const rounds = new ScriptRounds(new URL('./in-process.ts', import.meta.url), [String(TURNS)], parseAdded)

/** Measures the CPU time that each log adds to a request, with all applications in one process. */
export const ACCESS_LOG_IN_PROCESS: Comparison = {
  name: 'access-log-in-process',
  title:
    'The same request and logs in one process without sockets. Added: CPU time in addition to that of the same ' +
    `application without a log; minimum of ${TURNS} turns`,
  reference: 'morgan',
  metrics: ['addedMicros'],
  targets: [
    { of: 'fw combined', metric: 'addedMicros', atMost: 1.5 },
    { of: 'fw json', metric: 'addedMicros', atMost: 2 },
  ],
  candidates: ['fw combined', 'fw json', 'morgan', 'pino-http', 'fastify pino'].map((name) => ({
    name,
    measure: async (run) => ({ addedMicros: await rounds.next(name, run) }),
  })),
}
