import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Candidate, Comparison, Measurement } from '../comparison.ts'
import type { LoadGenerator, LoadTarget } from '../load/load.ts'
import { wrk } from '../load/wrk.ts'
import type { Run } from '../run.ts'
import type { ServerProcess } from '../server-process.ts'
import type { ServerSetup } from '../server-program.ts'
import { checkAnswer, checkVolume } from './check-answer.ts'
import type { Peer } from './peer.ts'
import type { HttpScenario } from './scenario.ts'

/** The load generator of each version. */
const GENERATORS: Readonly<Record<HttpScenario['tool'], LoadGenerator>> = { wrk }

/** A comparison of the peers that take part in a scenario. */
export function httpComparison(scenario: HttpScenario, peers: readonly Peer[]): Comparison {
  const { name, title, reference, targets, metrics = ['rate', 'cpuMicros', 'p50Ms', 'p99Ms', 'rssMib'] } = scenario
  const candidates = peers
    .filter((peer) => scenario.peers?.includes(peer.name) ?? true)
    .map((peer) => httpCandidate(peer, scenario))
  return { name, title, reference, targets, metrics, candidates }
}

function httpCandidate(peer: Peer, scenario: HttpScenario): Candidate {
  return {
    name: peer.name,
    missing: peer.missing,
    async measure(run) {
      await using server = await startPeer(peer, scenario, run)
      return await measureServer(server, scenario, run)
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
  return peer.start({ ...scenario.setup, ...tls, ...logged }, run.folder)
}

/** Where the server of a peer logs its requests. */
function accessLogOf({ name }: Peer, { folder }: Run): string {
  return join(folder, `${name}.log`)
}

/** One round: the answer is checked, the server warmed up, the load measured. */
export async function measureServer(server: ServerProcess, scenario: HttpScenario, run: Run): Promise<Measurement> {
  const target: LoadTarget = {
    port: server.port,
    isTls: scenario.isTls ?? false,
    request: scenario.request,
    shape: scenario.shape,
    folder: run.folder,
  }
  const answerBytes = await checkAnswer(target, scenario.answer)
  const load = GENERATORS[scenario.tool]
  await load(target, run.warmUpSeconds)
  const before = await server.usage()
  const brought = await load(target, run.seconds)
  const after = await server.usage()
  checkVolume(brought, answerBytes, scenario.shape)
  return {
    rate: brought.requests / brought.seconds,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / brought.requests,
    p50Ms: brought.p50Ms,
    p99Ms: brought.p99Ms,
    rssMib: after.rssBytes / 2 ** 20,
  }
}
