import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { sse } from '@fw/sse'
import { type ClientResponse, eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { cors } from '../src/index.ts'

const ORIGIN = 'https://app.example.org'
const ALLOWED = { vary: 'origin', 'access-control-allow-origin': ORIGIN, 'access-control-allow-credentials': 'true' }

beforeAll(() => setSinks([]))

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router().use(cors({ origins: [ORIGIN], credentials: true }))
  router.get('/whole', () => 'whole')
  router.put('/whole', () => 'changed')
  router.get('/stream', (ctx) => {
    ctx.responseHeaders.set('vary', 'accept')
    return ctx.stream(['a', 'b'])
  })
  router.get('/unchanged', (ctx) => ctx.empty(304))
  router.get('/events', async (ctx) => {
    const events = await sse(ctx)
    await events.event('greeting', 'hello')
    events.close()
  })
  router.get('/failing', () => {
    throw new Error('on purpose')
  })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

function corsFields({ headers }: ClientResponse): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')))
}

eachProtocol('CORS', start, (client) => {
  it.each([
    ['GET', '/whole', 200, 'origin'],
    ['HEAD', '/whole', 200, 'origin'],
    ['PUT', '/whole', 200, 'origin'],
    ['GET', '/stream', 200, 'accept, origin'],
    ['GET', '/unchanged', 304, 'origin'],
    ['GET', '/events', 200, 'origin'],
    ['GET', '/failing', 500, 'origin, accept'],
    ['GET', '/nowhere', 404, 'origin, accept'],
    ['DELETE', '/whole', 405, 'origin, accept'],
  ])('sets the fields of the response to %s %s', async (method, path, status, vary) => {
    const response = await client().request({ method, path, headers: [['origin', ORIGIN]] })
    await response.bytes()
    expect(response.status).toBe(status)
    expect(corsFields(response)).toEqual({ ...ALLOWED, vary })
  })

  it("answers a preflight with the path's methods", async () => {
    const response = await client().request({
      method: 'OPTIONS',
      path: '/whole',
      headers: [
        ['origin', ORIGIN],
        ['access-control-request-method', 'PUT'],
        ['access-control-request-headers', 'content-type'],
      ],
    })
    expect(await response.text()).toBe('')
    expect(response.status).toBe(204)
    expect(corsFields(response)).toEqual({
      ...ALLOWED,
      vary: 'origin, access-control-request-method, access-control-request-headers',
      'access-control-allow-methods': 'GET, HEAD, PUT',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '600',
    })
  })

  it('sets only Vary for an origin that is not listed', async () => {
    const response = await client().request({ path: '/whole', headers: [['origin', 'https://evil.example']] })
    expect(await response.text()).toBe('whole')
    expect(corsFields(response)).toEqual({ vary: 'origin' })
  })
})
