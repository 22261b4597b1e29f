import { get, type HttpScenario } from '../http/scenario.ts'
import { FILES } from './files.ts'

/** Defaults of the scenarios. */
const BASE = {
  tool: 'wrk',
  files: FILES,
  shape: { connections: 64 },
  reference: 'sirv',
  targets: [],
} as const
const ALL = ['fw', 'fw hello', 'sirv', 'fastify-static', 'send', 'pipe', 'nginx', 'caddy']

export const STATIC_SCENARIOS: readonly HttpScenario[] = [
  {
    ...BASE,
    name: '1-kib',
    title: 'A 1 KiB file; 64 connections',
    request: get('/1k.css'),
    response: { status: 200, body: FILES['1k.css'] },
    targets: [
      { of: 'fw', metric: 'rate', to: 'fw hello', atLeast: 0.9 },
      { of: 'fw', metric: 'rate', to: 'sirv', atLeast: 2 },
      { of: 'fw', metric: 'rate', to: 'fastify-static', atLeast: 2 },
      { of: 'fw', metric: 'cpuMicros', to: 'sirv', atMost: 0.25 },
      { of: 'fw', metric: 'cpuMicros', to: 'fastify-static', atMost: 0.25 },
    ],
  },
  {
    ...BASE,
    name: '64-kib',
    title: 'A 64 KiB file; 64 connections',
    request: get('/64k.css'),
    response: { status: 200, body: FILES['64k.css'] },
    targets: [
      { of: 'fw', metric: 'cpuMicros', to: 'sirv', atMost: 0.25 },
      { of: 'fw', metric: 'cpuMicros', to: 'fastify-static', atMost: 0.25 },
    ],
  },
  {
    ...BASE,
    name: '10-mib',
    title: 'A 10 MiB file; 16 connections',
    request: get('/10m.bin'),
    response: { status: 200, body: FILES['10m.bin'] },
    shape: { connections: 16 },
    reference: 'pipe',
    targets: [
      { of: 'fw', metric: 'rate', to: 'pipe', atLeast: 0.9 },
      { of: 'fw', metric: 'rate', to: 'nginx', atLeast: 1 },
      { of: 'fw', metric: 'cpuMicros', to: 'pipe', atMost: 0.6 },
      { of: 'fw', metric: 'rssMib', to: 'pipe', atMost: 1.5 },
    ],
  },
  {
    ...BASE,
    name: '304',
    title: 'A conditional request for a 1 KiB file with a matching entity tag; 64 connections',
    request: get('/1k.css'),
    isConditional: true,
    response: { status: 304, body: '' },
    peers: ALL.filter((name) => name !== 'pipe'),
    targets: [
      { of: 'fw', metric: 'rate', to: 'fw hello', atLeast: 0.9 },
      { of: 'fw', metric: 'rate', to: 'sirv', atLeast: 2 },
      { of: 'fw', metric: 'rate', to: 'fastify-static', atLeast: 2 },
    ],
  },
  {
    ...BASE,
    name: 'sidecar',
    title: 'A 28 KiB style sheet with a gzip sidecar; 64 connections',
    request: get('/page.css', { 'accept-encoding': 'gzip' }),
    response: { status: 200, type: 'text/css', coding: 'gzip', body: FILES['page.css.gz'] },
    peers: ['fw', 'sirv', 'fastify-static', 'nginx', 'caddy'],
  },
]
