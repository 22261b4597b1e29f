import type { Candidate, Comparison } from '../comparison.ts'
import { fileLimitReason } from '../file-limit.ts'
import { measureServer, startPeer } from '../http/http-candidate.ts'
import type { Peer } from '../http/peer.ts'
import { get, HELLO, type HttpScenario } from '../http/scenario.ts'
import { HTTP1_PEERS } from '../http1/peers.ts'

const METRICS = ['cpuMicros', 'rate', 'p50Ms', 'p99Ms', 'rssMib'] as const
const ROUTES = [1, 100, 1000]
const CONNECTIONS = [1, 100, 10_000]

const BASE = { tool: 'wrk', reference: '', targets: [], shape: { connections: 64 } } as const

/** Returns a scenario that requests the last of `routes` registered routes. */
const routed = (routes: number): HttpScenario => ({
  ...BASE,
  name: 'routes',
  title: '',
  request: get('/users/4711'),
  response: { status: 200, type: 'application/json', body: '{"id":"4711","name":"Ada"}' },
  setup: { otherRoutes: routes - 1 },
})

const connected = (connections: number): HttpScenario => ({
  ...BASE,
  name: 'connections',
  title: '',
  request: get('/'),
  response: HELLO,
  shape: { connections },
})

export const GROWTH_COMPARISONS: readonly Comparison[] = [
  ...peersOf(['fw', 'fastify', 'hono', 'h3', 'express', 'bun']).map((peer) =>
    comparisonOf(
      `routes-${peer.name}`,
      `${peer.name}: GET /users/4711, served by the last registered route; 64 connections`,
      ROUTES.map((routes) =>
        candidateOf(peer, routed(routes), `${routes} ${routes === 1 ? 'route' : 'routes'}`, undefined),
      ),
    ),
  ),
  ...peersOf(['fw', 'node-http', 'fastify', 'bun']).map((peer) =>
    comparisonOf(
      `connections-${peer.name}`,
      `${peer.name}: GET / over a growing number of connections`,
      CONNECTIONS.map((connections) =>
        candidateOf(
          peer,
          connected(connections),
          `${connections} ${connections === 1 ? 'connection' : 'connections'}`,
          fileLimitReason(connections),
        ),
      ),
    ),
  ),
]

function peersOf(names: readonly string[]): readonly Peer[] {
  return HTTP1_PEERS.filter(({ name }) => names.includes(name))
}

/** Compares the candidates with the first one, which is the smallest. */
function comparisonOf(name: string, title: string, candidates: readonly Candidate[]): Comparison {
  return { name, title, reference: candidates[0]?.name ?? '', metrics: METRICS, targets: [], candidates }
}

function candidateOf(peer: Peer, scenario: HttpScenario, name: string, missing: string | undefined): Candidate {
  return {
    name,
    missing: peer.missing ?? missing,
    async measure(run) {
      await using server = await startPeer(peer, scenario, run)
      return (await measureServer(server, scenario, run)).figures
    },
  }
}
