import { App, toFetchHandler } from '@fw/core'
import fastify from 'fastify'
import { Hono } from 'hono'
import { validator } from 'hono/validator'
import { BARE_REQUEST } from './bare-request.ts'
import { SilentExchange } from './silent-exchange.ts'

/** Sends one request. Returns `undefined` if it is complete, otherwise a promise that resolves with the response. */
export type OneRequest = () => Promise<unknown> | undefined

export interface Work {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

export const WORKS: readonly Work[] = [
  { name: 'static', method: 'GET', path: '/' },
  { name: 'param', method: 'GET', path: '/api/v1/resource117/users/4711' },
  { name: 'json', method: 'POST', path: '/orders', body: '{"id":7,"item":"screw","count":3}' },
]

const ORDER = {
  type: 'object',
  properties: { id: { type: 'integer' }, item: { type: 'string' }, count: { type: 'integer' } },
  required: ['id', 'item', 'count'],
  additionalProperties: false,
} as const

interface Order {
  readonly id: number
  readonly item: string
  readonly count: number
}

/** Validates without a library, for frameworks that accept a function. Fastify compiles `ORDER`. */
function isOrder(value: unknown): value is Order {
  if (typeof value !== 'object' || value === null) return false
  const order = value as Partial<Record<keyof Order, unknown>>
  return Number.isInteger(order.id) && typeof order.item === 'string' && Number.isInteger(order.count)
}

const OrderSchema = {
  '~standard': {
    version: 1,
    vendor: 'bench',
    validate: (value: unknown) => (isOrder(value) ? { value } : { issues: [{ message: 'no order' }] }),
  },
} as const

const PATTERNS: readonly string[] = Array.from({ length: 200 }, (_, i) => `/api/v1/resource${i}/users/:id`)

function fwRequests(): (work: Work) => Record<string, OneRequest> {
  const app = new App()
  app.router.get('/', () => 'hello')
  for (const pattern of PATTERNS) app.router.get(pattern, (ctx) => ({ id: ctx.params['id'] }))
  app.router.post('/orders', { body: OrderSchema, response: { 200: ORDER } }, (ctx) => ctx.valid.body)
  const handler = toFetchHandler(app.router)
  return ({ method, path, body }) => {
    const url = `http://localhost${path}`
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const fields = ['host', 'localhost', ...Object.entries(headers).flat()]
    return {
      'fw exchange': () => {
        const exchange = new SilentExchange(method, path, fields, bytes)
        app.handle(exchange)
        return exchange.status === 0 ? exchange.over : undefined
      },
      'fw fetch': async () => (await app.fetch(new Request(url, { method, headers, body: body ?? null }))).text(),
      'fw toFetchHandler': async () =>
        (await handler(new Request(url, { method, headers, body: body ?? null }))).text(),
      'fw fetch(path)': async () => (await app.fetch(path, { method, headers, body: body ?? null })).text(),
    }
  }
}

function honoRequests(): (work: Work) => Record<string, OneRequest> {
  const app = new Hono()
  app.get('/', (c) => c.text('hello'))
  for (const pattern of PATTERNS) app.get(pattern, (c) => c.json({ id: c.req.param('id') }))
  const check = validator('json', (value: unknown, c) => (isOrder(value) ? value : c.json({ error: 'no order' }, 400)))
  app.post('/orders', check, (c) => c.json(c.req.valid('json')))
  return ({ method, path, body }) => {
    const url = `http://localhost${path}`
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    return {
      'hono fetch': async () => (await app.fetch(new Request(url, { method, headers, body: body ?? null }))).text(),
      'hono request(path)': async () => (await app.request(path, { method, headers, body: body ?? null })).text(),
    }
  }
}

async function fastifyRequests(): Promise<(work: Work) => Record<string, OneRequest>> {
  const app = fastify()
  app.get('/', () => 'hello')
  for (const pattern of PATTERNS) app.get<{ Params: { id: string } }>(pattern, ({ params }) => ({ id: params.id }))
  app.post('/orders', { schema: { body: ORDER, response: { 200: ORDER } } }, ({ body }) => body)
  await app.ready()
  return ({ method, path, body }) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    return {
      'fastify inject': async () =>
        (await app.inject({ method, url: path, headers, ...(body === undefined ? {} : { payload: body }) })).body,
    }
  }
}

function bareRequest({ method, path, body }: Work): OneRequest {
  const url = `http://localhost${path}`
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return async () => new Request(url, { method, headers, body: body ?? null })
}

/** Functions that create an application and return its request function, by name. */
export const APPLICATIONS: Readonly<Record<string, (work: Work) => Promise<OneRequest>>> = Object.fromEntries([
  ...['fw exchange', 'fw fetch', 'fw toFetchHandler', 'fw fetch(path)'].map((name) => [
    name,
    async (work: Work) => pick(fwRequests()(work), name),
  ]),
  ...['hono fetch', 'hono request(path)'].map((name) => [name, async (work: Work) => pick(honoRequests()(work), name)]),
  ['fastify inject', async (work: Work) => pick((await fastifyRequests())(work), 'fastify inject')],
  [BARE_REQUEST, (work: Work) => Promise.resolve(bareRequest(work))],
])

function pick(requests: Record<string, OneRequest>, name: string): OneRequest {
  const request = requests[name]
  if (request === undefined) throw new Error(`Unknown application '${name}'`)
  return request
}
