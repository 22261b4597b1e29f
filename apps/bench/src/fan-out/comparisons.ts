import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { Candidate, Comparison } from '../comparison.ts'
import { fileLimitReason } from '../file-limit.ts'
import { measureFanOut } from './measure-fan-out.ts'

/** The programs of `sse/servers`, all of them: one more is one more candidate. */
const SERVERS = readdirSync(new URL('../sse/servers/', import.meta.url)).map((file) => basename(file, '.ts'))

export const SSE_COMPARISONS: readonly Comparison[] = [1000, 10_000].map((streams) => ({
  name: `${streams}-streams`,
  title: `One event of 135 octets to each of ${streams.toLocaleString('en')} open HTTP/1.1 streams`,
  reference: 'net',
  metrics: ['eventMicros', 'burstMicros', 'streamKib'],
  targets: [
    { of: 'fw', metric: 'eventMicros', to: 'net', atMost: 1.15 },
    { of: 'fw', metric: 'eventMicros', to: 'better-sse', atMost: 0.5 },
    { of: 'fw', metric: 'eventMicros', to: 'hono', atMost: 0.33 },
    { of: 'fw', metric: 'streamKib', atMost: 8 },
  ],
  candidates: SERVERS.map((name) => candidateOf(name, streams)),
}))

function candidateOf(name: string, streams: number): Candidate {
  return { name, missing: fileLimitReason(streams), measure: (run) => measureFanOut(name, streams, run) }
}
