import { BROWSER_HEADERS } from '../http/requests.ts'
import { get, HELLO, type HttpScenario } from '../http/scenario.ts'

/** Name of the server without a log, keyed by the name of the same server with one. */
export const BASES: Readonly<Record<string, string>> = {
  'fw combined': 'fw',
  'fw json': 'fw',
  'fw combined sync': 'fw',
  morgan: 'node-http',
  'pino-http': 'node-http',
  'fastify pino': 'fastify',
}

export const ACCESS_LOG_SCENARIOS: readonly HttpScenario[] = [
  {
    name: 'access-log',
    title:
      'GET /users/7?page=2 with the header fields of a browser, logged to a file; 32 connections. ' +
      'Added: CPU time in addition to that of the same server without a log',
    tool: 'wrk',
    isLogged: true,
    request: get('/users/7?page=2', BROWSER_HEADERS),
    response: HELLO,
    shape: { connections: 32 },
    reference: 'morgan',
    metrics: ['addedMicros', 'rate', 'cpuMicros', 'p50Ms', 'p99Ms', 'rssMib'],
    bases: BASES,
    targets: [
      // The absolute targets from without-sockets.ts, divided by morgan's figure there.
      { of: 'fw combined', metric: 'addedMicros', to: 'morgan', atMost: 0.17 },
      { of: 'fw json', metric: 'addedMicros', to: 'morgan', atMost: 0.22 },
      { of: 'fw combined', metric: 'rate', to: 'fastify', atLeast: 1 },
    ],
  },
]
