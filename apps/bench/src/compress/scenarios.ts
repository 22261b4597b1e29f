import { get, type HttpScenario } from '../http/scenario.ts'
import { JSON_BODY } from './json-body.ts'

export const COMPRESS_SCENARIOS: readonly HttpScenario[] = [
  scenario('gzip', 'gzip 6', 0.65, ['fastify', 'hono', 'express', 'koa']),
  scenario('br', 'Brotli 4', 0.65, ['fastify', 'express', 'koa']),
  scenario('zstd', 'zstd 3', 0.25, ['fastify', 'koa']),
]

/**
 * Returns the scenario of a coding.
 *
 * @param ratio Greatest CPU time of `fw` for one request, divided by that of each peer
 */
function scenario(coding: string, level: string, ratio: number, peers: readonly string[]): HttpScenario {
  return {
    name: coding,
    title: `31 KiB of JSON, compressed with ${level} for each request; 10 connections`,
    tool: 'wrk',
    request: get('/', { 'accept-encoding': coding }),
    response: { status: 200, type: 'application/json', coding, body: JSON_BODY, isDecoded: true },
    shape: { connections: 10 },
    peers: ['fw', 'by hand', ...peers],
    reference: 'fastify',
    metrics: ['cpuMicros', 'p50Ms', 'p99Ms', 'rate', 'rssMib'],
    targets: [
      { of: 'fw', metric: 'cpuMicros', to: 'by hand', atMost: 1.15 },
      ...peers.map((to) => ({ of: 'fw', metric: 'cpuMicros', to, atMost: ratio }) as const),
    ],
  }
}
