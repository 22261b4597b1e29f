import { get, HELLO, type HttpScenario } from '../http/scenario.ts'

export const MIDDLEWARE_SCENARIOS: readonly HttpScenario[] = [
  {
    name: 'helmet',
    title: 'GET / through the Express middleware helmet; 64 connections. Without: the same servers without it',
    tool: 'wrk',
    request: get('/'),
    response: HELLO,
    shape: { connections: 64 },
    reference: 'express',
    targets: [{ of: 'fw', metric: 'rate', to: 'express', atLeast: 2 }],
  },
]
