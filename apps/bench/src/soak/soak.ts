import { startPeer } from '../http/http-candidate.ts'
import { HTTP1_PEERS } from '../http1/peers.ts'
import { HTTP1_SCENARIOS } from '../http1/scenarios.ts'
import { describeMachine } from '../report/result.ts'
import type { Run } from '../run.ts'
import { growthOf, SERIES, type Growth, type SeriesKey } from './growth.ts'
import { loadAll } from './load-all.ts'
import { sampleUntil, type Sample } from './sample.ts'

/** Resource usage of a server under constant load. */
export interface SoakResult {
  readonly group: 'soak'
  /** ISO 8601, UTC. */
  readonly date: string
  readonly machine: string
  readonly minutes: number
  readonly requests: number
  readonly growth: Readonly<Record<SeriesKey, Growth>>
  readonly samples: readonly Sample[]
}

/** Repeatedly runs all HTTP/1.1 scenarios without TLS and without an access log against `fw`. */
export async function soak(run: Run, minutes: number): Promise<SoakResult> {
  const peer = HTTP1_PEERS.find(({ name }) => name === 'fw')
  const scenarios = HTTP1_SCENARIOS.filter(({ isTls = false, isLogged = false }) => !isTls && !isLogged)
  const [first] = scenarios
  if (peer === undefined || first === undefined) throw new Error('The soak needs the peer fw and at least one scenario')
  await using server = await startPeer(peer, first, run)
  const over = new AbortController()
  const sampling = sampleUntil(server, over.signal)
  const requests = await loadAll(server, scenarios, run, minutes * 60).finally(() => over.abort())
  const samples = await sampling
  const growth = Object.fromEntries(Object.keys(SERIES).map((key) => [key, growthOf(samples, key as SeriesKey)]))
  return {
    group: 'soak',
    date: new Date().toISOString(),
    machine: describeMachine(),
    minutes,
    requests,
    growth: growth as Record<SeriesKey, Growth>,
    samples,
  }
}
