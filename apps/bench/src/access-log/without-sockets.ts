import type { Comparison } from '../comparison.ts'
import { ScriptRounds } from '../routing/script-rounds.ts'
import { parseAdded } from './parse-added.ts'

/** Turns that each application takes in one round: on a busy machine few of them are undisturbed. */
const TURNS = 100

const rounds = new ScriptRounds(new URL('./in-process.ts', import.meta.url), [String(TURNS)], parseAdded)

/** What each log adds to a request, in one process with all the others. */
export const ACCESS_LOG_ALONE: Comparison = {
  name: 'access-log-alone',
  title:
    'The same request and logs in one process without sockets: processor time above that of the same application ' +
    `without a log, each the least of ${TURNS} turns`,
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
