import { get, HELLO, type HttpScenario } from '../http/scenario.ts'

const MIB = 2 ** 20
const BULK = Buffer.from(new Uint32Array((10 * MIB) / 4).map((_, at) => Math.imul(at, 2_654_435_761)).buffer)
const REFERENCE = '@currentspace/http3'

export const HTTP3_SCENARIOS: readonly HttpScenario[] = [
  {
    name: 'hello',
    title:
      'GET / with an 11-byte text response; 4 connections, 32 streams on each. The load generator limits the rates',
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
    title: 'A 10 MiB body; 1 connection, 1 stream. The load generator limits the first figure',
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
