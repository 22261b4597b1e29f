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

/** As many as can be opened before the first of them has idled for as long as most servers let it, 5 seconds in Node. */
const CONNECTIONS = 2000
/** Ours and the reference wait for a machine that takes longer. */
const IDLE_MS = 120_000

/** What is sent to the servers whose memory is measured. */
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
    title: `Resident memory for each of ${CONNECTIONS.toLocaleString('en')} HTTP/1.1 connections that had one answer and idle`,
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
    title: 'What the heap of V8 allocates for GET / with the fields of a browser; 64 connections',
    reference: 'node-http',
    metrics: ['allocatedBytes', 'cpuMicros'],
    targets: [],
    candidates: HTTP1_PEERS.map((peer) => ({
      name: peer.name,
      missing: peer.name === 'bun' ? 'its heap is not that of V8' : peer.missing,
      measure: (run) => measureStarted(peer, run, (server) => measureAllocation(server, SCENARIO, run)),
    })),
  },
]

async function measureStarted(peer: Peer, run: Run, measure: Measure): Promise<Measurement> {
  await using server = await startPeer(peer, SCENARIO, run)
  return await measure(server, run)
}
