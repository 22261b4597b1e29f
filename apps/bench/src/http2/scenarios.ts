import { ONE_KIB_OF_JSON } from '../http/requests.ts'
import { get, HELLO, type HttpScenario } from '../http/scenario.ts'

/** Defaults of the scenarios. */
const BASE = {
  tool: 'h2load',
  request: get('/'),
  response: HELLO,
  shape: { connections: 4, depth: 32 },
  reference: 'node-http2',
  targets: [],
} as const
const APPLICATIONS = ['fw', 'node-http2', 'fastify']

export const HTTP2_SCENARIOS: readonly HttpScenario[] = [
  {
    ...BASE,
    name: 'hello',
    title: 'GET / with an 11-byte text response, without TLS; 4 connections, 32 streams on each',
    targets: [
      { of: 'fw', metric: 'rate', to: 'node-http2', atLeast: 0.97 },
      { of: 'fw', metric: 'rate', to: 'fastify', atLeast: 1.7 },
    ],
  },
  {
    ...BASE,
    name: 'tls',
    title: 'GET / over TLS 1.3; 4 connections, 32 streams on each',
    isTls: true,
  },
  {
    ...BASE,
    name: 'param-json',
    title: 'GET /users/4711 through a route with a parameter and a JSON response; 4 connections, 32 streams on each',
    request: get('/users/4711'),
    response: { status: 200, type: 'application/json', body: '{"id":"4711","name":"Ada"}' },
    peers: APPLICATIONS,
  },
  {
    ...BASE,
    name: 'json-body',
    title: 'POST of 1 KiB of JSON, parsed and sent back; 4 connections, 32 streams on each',
    request: { method: 'POST', path: '/echo', headers: { 'content-type': 'application/json' }, body: ONE_KIB_OF_JSON },
    response: { status: 200, type: 'application/json', body: ONE_KIB_OF_JSON },
    peers: APPLICATIONS,
  },
]
