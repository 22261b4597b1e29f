import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareResponse } from '../src/http/check-response.ts'
import { measureServer, startPeer, targetOf } from '../src/http/http-candidate.ts'
import type { Peer } from '../src/http/peer.ts'
import type { HttpScenario } from '../src/http/scenario.ts'
import { ACCESS_LOG_PEERS } from '../src/access-log/peers.ts'
import { ACCESS_LOG_SCENARIOS } from '../src/access-log/scenarios.ts'
import { COMPRESS_PEERS } from '../src/compress/peers.ts'
import { COMPRESS_SCENARIOS } from '../src/compress/scenarios.ts'
import { MIDDLEWARE_PEERS } from '../src/middleware/peers.ts'
import { MIDDLEWARE_SCENARIOS } from '../src/middleware/scenarios.ts'
import { TOOLS } from '../src/http/tools.ts'
import { HTTP1_PEERS } from '../src/http1/peers.ts'
import { HTTP1_SCENARIOS } from '../src/http1/scenarios.ts'
import { HTTP2_PEERS } from '../src/http2/peers.ts'
import { HTTP2_SCENARIOS } from '../src/http2/scenarios.ts'
import { HTTP3_PEERS } from '../src/http3/peers.ts'
import { HTTP3_SCENARIOS } from '../src/http3/scenarios.ts'
import { STATIC_PEERS } from '../src/static/peers.ts'
import { STATIC_SCENARIOS } from '../src/static/scenarios.ts'
import { measuredRun } from './measured-run.ts'

let run: Awaited<ReturnType<typeof measuredRun>>

beforeAll(async () => {
  run = await measuredRun()
})

afterAll(() => run[Symbol.asyncDispose]())

const GROUPS = {
  http1: { scenarios: HTTP1_SCENARIOS, peers: HTTP1_PEERS },
  http2: { scenarios: HTTP2_SCENARIOS, peers: HTTP2_PEERS },
  http3: { scenarios: HTTP3_SCENARIOS, peers: HTTP3_PEERS },
  middleware: { scenarios: MIDDLEWARE_SCENARIOS, peers: MIDDLEWARE_PEERS },
  'access-log': { scenarios: ACCESS_LOG_SCENARIOS, peers: ACCESS_LOG_PEERS },
  static: { scenarios: STATIC_SCENARIOS, peers: STATIC_PEERS },
  compress: { scenarios: COMPRESS_SCENARIOS, peers: COMPRESS_PEERS },
}

describe.each(Object.entries(GROUPS))('a server in the group %s', (_group, { scenarios, peers }) => {
  for (const peer of peers) {
    for (const [title, ofSetup] of bySetup(scenarios, peer)) {
      it.concurrent(`sends the expected responses: ${peer.name} ${title}`, async () => {
        await expect(Promise.resolve(peer.missing ?? checkResponses(peer, ofSetup))).resolves.toMatch(OUTCOME)
      })
    }
  }
})

/** Reason why a peer is missing, or the result of `checkResponses`. */
const OUTCOME = /is not installed|is not available|responded/

async function checkResponses(peer: Peer, scenarios: readonly HttpScenario[]): Promise<string> {
  const [first] = scenarios
  await using server = await startPeer(peer, first!, run)
  for (const scenario of scenarios) {
    const received = await TOOLS[scenario.tool].fetch(await targetOf(server, scenario, run))
    compareResponse(scenario.response, received)
  }
  return 'responded'
}

/** Groups a peer's scenarios by the setup of its server. */
function bySetup(scenarios: readonly HttpScenario[], { name }: Peer): ReadonlyMap<string, HttpScenario[]> {
  const own = scenarios.filter(({ peers }) => peers?.includes(name) ?? true)
  return Map.groupBy(own, ({ isTls = false, isLogged = false, files, setup = {} }) =>
    JSON.stringify({ isTls, isLogged, hasFiles: files !== undefined, ...setup }),
  )
}

describe('a measured server', () => {
  const [hello, peer] = [HTTP1_SCENARIOS[0]!, HTTP1_PEERS[0]!]

  it('reports rate, CPU time, latency and memory', async () => {
    await using server = await startPeer(peer, hello, run)
    const { figures } = await measureServer(server, hello, run)
    expect(Object.keys(figures).sort()).toEqual([
      'cpuMicros',
      'megabytesPerCpu',
      'megabytesRate',
      'p50Ms',
      'p99Ms',
      'rate',
      'rssMib',
    ])
    for (const figure of Object.values(figures)) expect(figure).toBeGreaterThan(0)
    expect(figures.p99Ms).toBeGreaterThanOrEqual(figures.p50Ms!)
  })

  it('fails if the server sends a different response', async () => {
    await using server = await startPeer(peer, hello, run)
    const other = { ...hello, response: { status: 200, body: 'Hello world' } }
    await expect(measureServer(server, other, run)).rejects.toThrow('The content is different')
  })
})
