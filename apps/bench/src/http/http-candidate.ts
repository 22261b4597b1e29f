import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Candidate, Comparison, Measurement } from '../comparison.ts'
import type { LoadTarget } from '../load/load.ts'
import type { Run } from '../run.ts'
import type { ServerProcess } from '../server-process.ts'
import type { ServerSetup } from '../server-program.ts'
import { checkVolume, compareResponse } from './check-response.ts'
import { checkLog } from './check-log.ts'
import { filesIn } from './files-in.ts'
import type { Peer } from './peer.ts'
import type { HttpScenario } from './scenario.ts'
import { TOOLS } from './tools.ts'

/** As many take a second more to be opened. */
const CONNECTIONS_PER_SECOND = 2000

const METRICS = ['rate', 'cpuMicros', 'p50Ms', 'p99Ms', 'rssMib'] as const

/** A comparison of the peers that take part in a scenario. */
export function httpComparison(scenario: HttpScenario, peers: readonly Peer[]): Comparison {
  const { name, title, reference, targets, bases = {}, metrics = METRICS } = scenario
  const candidates = peers
    .filter((peer) => scenario.peers?.includes(peer.name) ?? true)
    .map((peer) => httpCandidate(peer, scenario))
  return { name, title, reference, targets, bases, metrics, candidates }
}

function httpCandidate(peer: Peer, scenario: HttpScenario): Candidate {
  return {
    name: peer.name,
    missing: peer.missing,
    async measure(run) {
      await using server = await startPeer(peer, scenario, run)
      const { figures, requests } = await measureServer(server, scenario, run)
      await server.stop()
      if (peer.logLines !== undefined) await checkLog(accessLogOf(peer, run), requests * peer.logLines)
      return figures
    },
  }
}

/** Starts a server as a scenario wants it. */
export async function startPeer(peer: Peer, scenario: HttpScenario, run: Run): Promise<ServerProcess> {
  const accessLogFile = accessLogOf(peer, run)
  // A round before may have filled it.
  await rm(accessLogFile, { force: true })
  const tls: ServerSetup = scenario.isTls === true ? { tls: run.certificate } : {}
  const logged: ServerSetup = scenario.isLogged === true ? { accessLogFile } : {}
  const served: ServerSetup =
    scenario.files === undefined ? {} : { directory: await filesIn(run.folder, scenario.files) }
  return peer.start({ ...scenario.setup, ...tls, ...logged, ...served }, run.folder)
}

/** Where the server of a peer logs its requests. */
function accessLogOf({ name }: Peer, { folder }: Run): string {
  return join(folder, `${name}.log`)
}

/** What the load generator is told about a scenario. */
export async function targetOf({ port }: ServerProcess, scenario: HttpScenario, { folder }: Run): Promise<LoadTarget> {
  const { tool, isTls = false, request, shape } = scenario
  const target: LoadTarget = { port, isTls, request, shape, folder }
  if (scenario.isConditional !== true) return target
  const { etag } = await TOOLS[tool].fetch(target)
  return { ...target, request: { ...request, headers: { ...request.headers, 'if-none-match': etag } } }
}

/** What a round brought, and how many requests were answered in it, the warm-up included. */
export interface Measured {
  readonly figures: Measurement
  readonly requests: number
}

/** One round: the response is checked, the server warmed up, the load measured. */
export async function measureServer(server: ServerProcess, scenario: HttpScenario, run: Run): Promise<Measured> {
  const target = await targetOf(server, scenario, run)
  const { fetch, load } = TOOLS[scenario.tool]
  const response = await fetch(target)
  compareResponse(scenario.response, response)
  const openingSeconds = Math.floor(scenario.shape.connections / CONNECTIONS_PER_SECOND)
  const warmUp = await load(target, run.warmUpSeconds + openingSeconds)
  const before = await server.usage()
  const brought = await load(target, run.seconds + openingSeconds)
  const after = await server.usage()
  checkVolume(brought, response.countedBytes, scenario.shape)
  const cpuMicros = (after.cpuMicros - before.cpuMicros) / brought.requests
  const figures = {
    cpuMicros,
    rate: brought.requests / brought.seconds,
    megabytesRate: (brought.requests * response.body.byteLength) / brought.seconds / 1e6,
    megabytesPerCpu: response.body.byteLength / cpuMicros,
    p50Ms: brought.p50Ms,
    p99Ms: brought.p99Ms,
    rssMib: after.rssBytes / 2 ** 20,
  }
  return { figures, requests: warmUp.requests + brought.requests }
}
