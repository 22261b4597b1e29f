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

/** Number of connections that the load generator opens per second. */
const CONNECTIONS_PER_SECOND = 2000

const METRICS = ['rate', 'cpuMicros', 'p50Ms', 'p99Ms', 'rssMib'] as const

/** Returns a comparison of a scenario's peers. */
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

/** Starts a peer's server with a scenario's setup. */
export async function startPeer(peer: Peer, scenario: HttpScenario, run: Run): Promise<ServerProcess> {
  const accessLogFile = accessLogOf(peer, run)
  // Delete the log of an earlier round.
  await rm(accessLogFile, { force: true })
  const tls: ServerSetup = scenario.isTls === true ? { tls: run.certificate } : {}
  const logged: ServerSetup = scenario.isLogged === true ? { accessLogFile } : {}
  const served: ServerSetup =
    scenario.files === undefined ? {} : { directory: await filesIn(run.folder, scenario.files) }
  return peer.start({ ...scenario.setup, ...tls, ...logged, ...served }, run.folder)
}

/** Returns the path of a peer's access log. */
function accessLogOf({ name }: Peer, { folder }: Run): string {
  return join(folder, `${name}.log`)
}

/** Returns the load generator's input for a scenario. */
export async function targetOf({ port }: ServerProcess, scenario: HttpScenario, { folder }: Run): Promise<LoadTarget> {
  const { tool, isTls = false, request, shape } = scenario
  const target: LoadTarget = { port, isTls, request, shape, folder }
  if (scenario.isConditional !== true) return target
  const { etag } = await TOOLS[tool].fetch(target)
  return { ...target, request: { ...request, headers: { ...request.headers, 'if-none-match': etag } } }
}

/** A round's result, and the number of its requests including the warm-up. */
export interface Measured {
  readonly figures: Measurement
  readonly requests: number
}

/** Runs one round: checks the response, warms the server up and measures the load. */
export async function measureServer(server: ServerProcess, scenario: HttpScenario, run: Run): Promise<Measured> {
  const target = await targetOf(server, scenario, run)
  const { fetch, load } = TOOLS[scenario.tool]
  const response = await fetch(target)
  compareResponse(scenario.response, response)
  const openingSeconds = Math.floor(scenario.shape.connections / CONNECTIONS_PER_SECOND)
  const warmUp = await load(target, run.warmUpSeconds + openingSeconds)
  const before = await server.usage()
  const measured = await load(target, run.seconds + openingSeconds)
  const after = await server.usage()
  checkVolume(measured, response.countedBytes, scenario.shape)
  const cpuMicros = (after.cpuMicros - before.cpuMicros) / measured.requests
  const figures = {
    cpuMicros,
    rate: measured.requests / measured.seconds,
    megabytesRate: (measured.requests * response.body.byteLength) / measured.seconds / 1e6,
    megabytesPerCpu: response.body.byteLength / cpuMicros,
    p50Ms: measured.p50Ms,
    p99Ms: measured.p99Ms,
    rssMib: after.rssBytes / 2 ** 20,
  }
  return { figures, requests: warmUp.requests + measured.requests }
}
