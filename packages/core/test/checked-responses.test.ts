import { createLogger, Level, MemorySink } from '@fw/log'
import type { ServerDemand } from '@fw/testing'
import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { Server } from '../src/index.ts'
import { everyWay } from './every-way.ts'

const sink = new MemorySink()
const User = z.object({ id: z.int(), name: z.string() })
let server: Server

async function start(demand: ServerDemand): Promise<Server & { readonly port: number }> {
  const logger = createLogger({ level: Level.Warn, sinks: [sink] })
  const { tls } = demand
  server = new Server({ logger, checkResponses: 'count', http3: demand.http3, ...(tls === undefined ? {} : { tls }) })
  const response = { 200: User, 404: z.object({ error: z.string() }) }
  server
    .router()
    .get('/good', { response }, () => ({ id: 7, name: 'Ada', password: 'secret' }))
    .get('/missing', { response }, (ctx) => ctx.json({ error: 'no user' }, { status: 404 }))
    .get('/counted', { response }, () => ({ id: '7', name: 'Ada' }))
    .get('/failed', { response, checkResponses: 'error' }, async () => ({ id: 7, name: null }))
  const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port })
}

beforeEach(() => sink.clear())

everyWay('a route with response schemas', start, (client) => {
  const get = async (path: string): Promise<[number, unknown]> => {
    const response = await client().request({ path })
    return [response.status, await response.json()]
  }

  it('sends results that match, without members that are not in the schema', async () => {
    expect(await get('/good')).toEqual([200, { id: 7, name: 'Ada' }])
    expect(await get('/missing')).toEqual([404, { error: 'no user' }])
    expect(sink.records()).toEqual([])
  })

  it("sends and counts a result that does not match, with 'count'", async () => {
    const { mismatched } = server.stats().responses
    expect(await get('/counted')).toEqual([200, { id: 7, name: 'Ada' }])
    expect(await get('/counted')).toEqual([200, { id: 7, name: 'Ada' }])
    expect(server.stats().responses.mismatched).toBe(mismatched + 2)
    expect(sink.records().map(({ level, message }) => [level, message])).toEqual([
      [Level.Warn, expect.stringContaining('GET /counted: response 200 at "/id" must be an integer, got a string.')],
    ])
  })

  it("responds with 500 and logs the path in the result, with 'error'", async () => {
    const [status, body] = await get('/failed')
    expect([status, body]).toEqual([500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }])
    expect(sink.records().map(({ level, message }) => [level, message])).toEqual([
      [Level.Error, expect.stringContaining('GET /failed: response 200 at "/name" must be a string, got null.')],
    ])
  })
})
