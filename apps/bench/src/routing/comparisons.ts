import type { Candidate, Comparison } from '../comparison.ts'
import type { MetricKey } from '../metrics.ts'
import { BARE_REQUEST } from '../router/bare-request.ts'
import { ScriptRounds } from './script-rounds.ts'
import { parseResponses, parseMatchers } from './parse-output.ts'

const RESPONSES = new URL('../router/responses.ts', import.meta.url)
const MATCHERS = new URL('../router/matchers.ts', import.meta.url)

const WORKS = {
  static: 'one route',
  param: 'a parameter, among 200 routes',
  json: 'JSON request and response with a schema',
}
const APPLICATIONS = [
  'fw exchange',
  'fw fetch',
  'fw toFetchHandler',
  'fw fetch(path)',
  'hono fetch',
  'hono request(path)',
  'fastify inject',
  BARE_REQUEST,
]
const ROUTERS = ['fw', 'find-my-way', 'rou3']
const KINDS = { static: 'literal paths', params: 'paths with two parameters', unknown: 'paths without a route' }

const responses = Object.entries(WORKS).map(([work, title]): Comparison => {
  // Each round starts new processes.
  const rounds = new ScriptRounds(RESPONSES, ['--only', work, '--sets', '1'], parseResponses)
  return {
    name: `response-${work}`,
    title: `Routing, context and response without sockets: ${title}`,
    reference: 'hono fetch',
    metrics: ['rate'],
    targets: [
      { of: 'fw fetch', metric: 'rate', to: 'hono fetch', atLeast: 1.5 },
      { of: 'fw fetch', metric: 'rate', to: 'fastify inject', atLeast: 1.5 },
    ],
    candidates: APPLICATIONS.map((name) => candidateOf(name, 'rate', name, rounds)),
  }
})

/** One run of the program measures all kinds and sizes. */
const matcherRounds = new ScriptRounds(MATCHERS, [], parseMatchers)

const matchers = [1, 50, 1000].flatMap((routes) =>
  Object.entries(KINDS).map(([kind, title]): Comparison => ({
    name: `find-${kind}-${routes}`,
    title: `Route lookup among ${routes} ${routes === 1 ? 'route' : 'routes'}: ${title}`,
    reference: 'find-my-way',
    metrics: ['lookupRate'],
    targets: [],
    candidates: ROUTERS.map((name) => candidateOf(name, 'lookupRate', `${routes} ${kind} ${name}`, matcherRounds)),
  })),
)

export const ROUTER_COMPARISONS: readonly Comparison[] = [...responses, ...matchers]

function candidateOf(name: string, metric: MetricKey, key: string, rounds: ScriptRounds): Candidate {
  return { name, measure: async (run) => ({ [metric]: await rounds.next(key, run) }) }
}
