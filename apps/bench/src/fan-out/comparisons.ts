import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { Comparison } from '../comparison.ts'
import { fileLimitReason } from '../file-limit.ts'
import { measureFanOut, measureRest } from './measure-fan-out.ts'

/** Each program in `servers/` is a candidate. */
const SERVERS = readdirSync(new URL('./servers/', import.meta.url)).map((file) => basename(file, '.ts'))

const IDLE_STREAMS = 10_000

const fanOut = [1000, 10_000].map((streams): Comparison => ({
  name: `${streams}-streams`,
  title: `One 135-byte event to each of ${streams.toLocaleString('en')} open HTTP/1.1 streams`,
  reference: 'net',
  concurrency: 'alternating',
  metrics: ['eventMicros', 'burstMicros', 'streamKib'],
  targets: [
    { of: 'fw', metric: 'eventMicros', to: 'net', atMost: 1.15 },
    { of: 'fw', metric: 'eventMicros', to: 'better-sse', atMost: 0.5 },
    { of: 'fw', metric: 'eventMicros', to: 'hono', atMost: 0.33 },
  ],
  candidates: SERVERS.map((name) => ({
    name,
    missing: fileLimitReason(streams),
    measure: (run, turns) => measureFanOut(name, streams, run, turns),
  })),
}))

const rest: Comparison = {
  name: 'idle-streams',
  title: `Resident memory per stream with ${IDLE_STREAMS.toLocaleString('en')} streams, after half a minute idle`,
  reference: 'net',
  metrics: ['streamKib'],
  targets: [{ of: 'fw', metric: 'streamKib', atMost: 8 }],
  concurrency: 'parallel',
  candidates: SERVERS.map((name) => ({
    name,
    missing: fileLimitReason(IDLE_STREAMS),
    measure: (run) => measureRest(name, IDLE_STREAMS, run),
  })),
}

export const SSE_COMPARISONS: readonly Comparison[] = [...fanOut, rest]
