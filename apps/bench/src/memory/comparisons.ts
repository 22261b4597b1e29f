import type { Comparison, Measurement } from '../comparison.ts'
import { fileLimitReason } from '../file-limit.ts'
import { startPeer } from '../http/http-candidate.ts'
import type { Peer } from '../http/peer.ts'
import { BROWSER_HEADERS } from '../http/requests.ts'
import { get, HELLO, type HttpScenario } from '../http/scenario.ts'
import { HTTP1_PEERS } from '../http1/peers.ts'
import type { Run } from '../run.ts'
import type { ServerProcess } from '../server-process.ts'
import { measureAllocation } from './measure-allocation.ts'
import { measureIdle } from './measure-idle.ts'

/**
 * Number of connections. All of them can be opened before a server closes the first idle one, which Node.js does after
 * 5 seconds.
 */
const CONNECTIONS = 2000
/** Idle timeout of `fw` and the reference, for a machine that opens the connections more slowly. */
const IDLE_MS = 120_000

/** Request for the servers whose memory is measured. */
const SCENARIO: HttpScenario = {
  name: 'memory',
  title: 'GET /',
  tool: 'wrk',
  request: get('/', BROWSER_HEADERS),
  response: HELLO,
  shape: { connections: 64 },
  setup: { isCollected: true, idleMs: IDLE_MS },
  reference: 'node-http',
  targets: [],
}

type Measure = (server: ServerProcess, run: Run) => Promise<Measurement>

export const MEMORY_COMPARISONS: readonly Comparison[] = [
  {
    name: 'idle-connections',
    title: `Resident memory per connection with ${CONNECTIONS.toLocaleString('en')} idle HTTP/1.1 connections, after one request on each`,
    reference: 'node-http',
    metrics: ['connectionKib'],
    targets: [{ of: 'fw', metric: 'connectionKib', atMost: 8 }],
    candidates: HTTP1_PEERS.map((peer) => ({
      name: peer.name,
      missing: peer.missing ?? fileLimitReason(CONNECTIONS),
      measure: (run) => measureStarted(peer, run, (server) => measureIdle(server, CONNECTIONS)),
    })),
  },
  {
    name: 'allocation',
    title: 'Allocation on the V8 heap for GET / with the header fields of a browser; 64 connections',
    reference: 'node-http',
    metrics: ['allocatedBytes', 'cpuMicros'],
    targets: [],
    candidates: HTTP1_PEERS.map((peer) => ({
      name: peer.name,
      missing: peer.name === 'bun' ? 'Bun does not use V8' : peer.missing,
      measure: (run) => measureStarted(peer, run, (server) => measureAllocation(server, SCENARIO, run)),
    })),
  },
]

async function measureStarted(peer: Peer, run: Run, measure: Measure): Promise<Measurement> {
  await using server = await startPeer(peer, SCENARIO, run)
  return await measure(server, run)
}
