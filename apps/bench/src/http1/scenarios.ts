import { BROWSER_HEADERS, ONE_KIB_OF_JSON } from '../http/requests.ts'
import { get, HELLO, type HttpScenario } from '../http/scenario.ts'

/** Peers of the scenarios that measure the protocol engine instead of the framework. */
const ENGINES = ['fw', 'node-http', 'fastify', 'bun']
const DEFAULT_SHAPE = { connections: 64 }

/** Defaults of the scenarios. */
const BASE = {
  tool: 'wrk',
  request: get('/'),
  response: HELLO,
  shape: DEFAULT_SHAPE,
  reference: 'node-http',
  targets: [],
} as const

export const HTTP1_SCENARIOS: readonly HttpScenario[] = [
  {
    ...BASE,
    name: 'hello',
    title: 'GET / with an 11-byte text response; 64 connections',
    targets: [
      { of: 'fw', metric: 'rate', to: 'node-http', atLeast: 1.45 },
      { of: 'fw', metric: 'rate', to: 'fastify', atLeast: 1.6 },
      { of: 'fw', metric: 'rate', to: 'bun', atLeast: 0.8 },
    ],
  },
  {
    ...BASE,
    name: 'param-json',
    title: 'GET /users/4711 through a route with a parameter and a JSON response; 64 connections',
    request: get('/users/4711'),
    response: { status: 200, type: 'application/json', body: '{"id":"4711","name":"Ada"}' },
    reference: 'fastify',
    targets: [{ of: 'fw', metric: 'rate', to: 'fastify', atLeast: 1.6 }],
  },
  {
    ...BASE,
    name: 'json-body',
    title: 'POST of 1 KiB of JSON, parsed and sent back; 64 connections',
    request: {
      method: 'POST',
      path: '/echo',
      headers: { 'content-type': 'application/json' },
      body: ONE_KIB_OF_JSON,
    },
    response: { status: 200, type: 'application/json', body: ONE_KIB_OF_JSON },
    reference: 'fastify',
  },
  {
    ...BASE,
    name: 'browser-headers',
    title: 'GET / with the 12 header fields (700 bytes) of a browser; 64 connections',
    request: get('/', BROWSER_HEADERS),
    peers: ENGINES,
    targets: [{ of: 'fw', metric: 'rate', to: 'node-http', atLeast: 1.6 }],
  },
  {
    ...BASE,
    name: 'pipelined',
    title: 'GET /, 16 pipelined requests on each of 64 connections; the load generator limits the rates',
    shape: { ...DEFAULT_SHAPE, depth: 16 },
    // Omit latencies, because wrk's correction for delayed requests assumes that they are not pipelined.
    metrics: ['rate', 'cpuMicros', 'rssMib'],
    peers: ENGINES,
    targets: [{ of: 'fw', metric: 'cpuMicros', to: 'node-http', atMost: 0.35 }],
  },
  {
    ...BASE,
    name: 'connection-close',
    title: 'GET /, each on a new connection; 64 concurrent connections',
    shape: { ...DEFAULT_SHAPE, isOnce: true },
    peers: ENGINES,
  },
  {
    ...BASE,
    name: '1000-connections',
    title: 'GET /; 1,000 connections',
    shape: { connections: 1000 },
    peers: ENGINES,
  },
  { ...BASE, name: 'tls', title: 'GET / over TLS 1.3; 64 connections', isTls: true, peers: ENGINES },
  {
    ...BASE,
    name: 'access-log',
    title: 'GET / with an access log, written asynchronously to a file (node-http: without a log); 64 connections',
    isLogged: true,
    peers: ['fw', 'node-http', 'fastify'],
    targets: [{ of: 'fw', metric: 'rate', to: 'node-http', atLeast: 1 }],
  },
]
