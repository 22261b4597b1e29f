// Routing, context and answer without a socket, against other frameworks: node src/router/answers.ts [--quick] [--only param]
import { parseArgs } from 'node:util'
import { App } from '@fw/core'
import fastify from 'fastify'
import { Hono } from 'hono'
import { validator } from 'hono/validator'
import { median, perSecond } from './measure.ts'
import { SilentExchange } from './silent-exchange.ts'

/** One request, answered as a whole; resolves, or returns nothing, when the answer is there. */
type OneRequest = () => Promise<unknown> | undefined

interface Work {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

const WORKS: readonly Work[] = [
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

/** The same check by hand for those that take any function; Fastify compiles `ORDER` itself. */
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

function ours(): (work: Work) => Record<string, OneRequest> {
  const app = new App()
  app.router.get('/', () => 'hello')
  for (const pattern of PATTERNS) app.router.get(pattern, (ctx) => ({ id: ctx.params['id'] }))
  app.router.post('/orders', { body: OrderSchema, response: { 200: ORDER } }, (ctx) => ctx.valid.body)
  return ({ method, path, body }) => {
    const url = `http://localhost${path}`
    const octets = body === undefined ? undefined : Buffer.from(body)
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const fields = ['host', 'localhost', ...Object.entries(headers).flat()]
    return {
      'fw exchange': () => {
        const exchange = new SilentExchange(method, path, fields, octets)
        app.handle(exchange)
        return exchange.status === 0 ? exchange.over : undefined
      },
      'fw fetch': async () => (await app.fetch(new Request(url, { method, headers, body: body ?? null }))).text(),
      'fw fetch(path)': async () => (await app.fetch(path, { method, headers, body: body ?? null })).text(),
    }
  }
}

function hono(): (work: Work) => Record<string, OneRequest> {
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

async function fastifyOnes(): Promise<(work: Work) => Record<string, OneRequest>> {
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

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})
const rounds = values.quick ? 5 : 15
const peers = [ours(), hono(), await fastifyOnes()]

for (const work of WORKS) {
  if (!work.name.startsWith(values.only)) continue
  const candidates = Object.entries(Object.assign({}, ...peers.map((peer) => peer(work))) as Record<string, OneRequest>)
  const rates = new Map<string, number[]>()
  // Turn by turn, so that whatever else the machine does meets all of them alike.
  for (let round = -2; round < rounds; round++) {
    for (const [name, request] of candidates) {
      const rate = await perSecond(request, values.quick ? 60 : 200)
      if (round >= 0) rates.set(name, [...(rates.get(name) ?? []), rate])
    }
  }
  console.log(`\n${work.name}: ${work.method} ${work.path}`)
  const best = (prefix: string): number =>
    Math.max(...Array.from(rates, ([name, all]) => (name.startsWith(prefix) ? median(all) : 0)))
  const others = Math.max(best('hono'), best('fastify'))
  for (const [name, all] of rates) {
    const rate = median(all)
    console.log(
      `${name.padEnd(20)} ${Math.round(rate).toLocaleString('en').padStart(10)}/s  ${(rate / others).toFixed(2)}`,
    )
  }
}
