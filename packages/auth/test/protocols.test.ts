import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, rawExchange, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { apiKey, basic, bearer, knownSecrets, Principal, requireScope } from '../src/index.ts'

const SECRET = 'a-secret-of-the-test'
const FORBIDDEN = expect.stringContaining('The client needs the scope write') as string

beforeAll(() => setSinks([]))

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router()
  router.get('/bearer', { use: bearer({ verify: knownSecrets({ ada: SECRET }) }) }, (ctx) => ctx.local(Principal).id)
  const verify = (user: string, password: string) => (password === SECRET ? { id: user, scopes: ['read'] } : null)
  const group = router.group('/basic').use(basic({ verify, realm: 'admin' }))
  group.get('/', (ctx) => ctx.local(Principal).id)
  group.get('/write', { use: requireScope('write') }, () => 'written')
  router.get('/key', { use: apiKey({ verify: knownSecrets({ shop: SECRET }) }) }, (ctx) => ctx.local(Principal).id)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

function basicOf(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`
}

eachProtocol('authentication', start, (client) => {
  const ask = async (path: string, ...headers: [string, string][]): Promise<unknown[]> => {
    const response = await client().request({ method: 'GET', path, headers })
    const text = (await response.bytes()).toString()
    return [response.status, response.headers.get('www-authenticate') ?? text]
  }
  it.each<[string, [string, string][], number, string]>([
    ['/bearer', [['authorization', `Bearer ${SECRET}`]], 200, 'ada'],
    ['/bearer', [['authorization', `bearer ${SECRET}`]], 200, 'ada'],
    ['/bearer', [], 401, 'Bearer realm="api"'],
    ['/bearer', [['authorization', 'Bearer another-secret']], 401, 'Bearer realm="api", error="invalid_token"'],
    ['/bearer', [['authorization', 'Bearer a b']], 400, 'Bearer realm="api", error="invalid_request"'],
    ['/basic', [['authorization', basicOf(`ada:${SECRET}`)]], 200, 'ada'],
    ['/basic', [['authorization', basicOf(`ada:${SECRET}x`)]], 401, 'Basic realm="admin", charset="UTF-8"'],
    ['/basic/write', [['authorization', basicOf(`ada:${SECRET}`)]], 403, FORBIDDEN],
    ['/key', [['x-api-key', SECRET]], 200, 'shop'],
    ['/key', [['x-api-key', `${SECRET}x`]], 401, 'ApiKey realm="api", header="x-api-key"'],
  ])('answers a request for %s with the fields %j: %i %s', async (path, headers, ...expected) => {
    expect(await ask(path, ...headers)).toEqual(expected)
  })

  it('responds with 400 to a repeated x-api-key field', async () => {
    expect((await ask('/key', ['x-api-key', SECRET], ['x-api-key', SECRET]))[0]).toBe(400)
  })
})

it('responds with 400 to a repeated Authorization field', async () => {
  const { port, close } = await start({ tls: undefined, http3: false })
  const field = `authorization: Bearer ${SECRET}\r\n`
  const { text } = await rawExchange(
    port,
    `GET /bearer HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${field}${field}\r\n`,
  )
  expect(text).toContain(' 400 ')
  await close()
})
