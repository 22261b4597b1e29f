import { get, HELLO, type HttpScenario } from '../http/scenario.ts'

const MIB = 2 ** 20
const BULK = Buffer.from(new Uint32Array((10 * MIB) / 4).map((_, at) => Math.imul(at, 2_654_435_761)).buffer)
const REFERENCE = '@currentspace/http3'

export const HTTP3_SCENARIOS: readonly HttpScenario[] = [
  {
    name: 'hello',
    title: 'GET / answered with 11 bytes of text; 4 connections, 32 streams on each. The load generator is the limit',
    tool: 'h3',
    isTls: true,
    request: get('/'),
    response: HELLO,
    shape: { connections: 4, depth: 32 },
    reference: REFERENCE,
    metrics: ['cpuMicros', 'rate', 'p50Ms', 'p99Ms', 'rssMib'],
    targets: [{ of: 'fw', metric: 'cpuMicros', to: REFERENCE, atMost: 1 }],
  },
  {
    name: 'bulk',
    title:
      'A body of 10 MiB; 1 connection, 1 stream. What the load generator can take is the limit of the first figure',
    tool: 'h3',
    isTls: true,
    files: { '10m.bin': BULK },
    request: get('/10m.bin'),
    response: { status: 200, body: BULK },
    shape: { connections: 1 },
    reference: REFERENCE,
    metrics: ['megabytesRate', 'megabytesPerCpu', 'p50Ms', 'rssMib'],
    targets: [
      { of: 'fw', metric: 'megabytesRate', atLeast: 100 },
      { of: 'fw', metric: 'megabytesPerCpu', atLeast: 100 },
    ],
  },
]
