import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { rateLimit } from '../src/index.ts'

beforeAll(() => setSinks([]))

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router()
  const limit = rateLimit({ name: 'test', limit: 2, windowMs: 86_400_000, key: (ctx) => ctx.rawQuery })
  router
    .group('/limited')
    .use(limit)
    .get('/', () => 'ok')
    .get('/health', { rateLimit: false }, () => 'ok')
    .post('/', (ctx) => ctx.text())
  router
    .group('/stream')
    .use(limit)
    .get('/', (ctx) => ctx.startResponse().end())
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('rateLimit()', start, (client, protocol) => {
  const send = async (path: string, method = 'GET'): Promise<[number, string | null, string | null, string | null]> => {
    const body = method === 'POST' ? { body: 'x'.repeat(100_000) } : {}
    const response = await client().request({ method, path, ...body })
    await response.bytes()
    const { status, headers } = response
    return [status, headers.get('ratelimit-policy'), headers.get('ratelimit'), headers.get('retry-after')]
  }

  it('counts down and then responds with 429', async () => {
    const policy = '"test";q=2;w=86400'
    expect(await send(`/limited?${protocol}`)).toEqual([200, policy, '"test";r=1;t=43200', null])
    expect(await send(`/limited?${protocol}`, 'HEAD')).toEqual([
      200,
      policy,
      expect.stringMatching(/^"test";r=0;t=43\d\d\d$/),
      null,
    ])
    const refused = [429, policy, expect.stringMatching(/^"test";r=0;t=43\d\d\d$/), expect.stringMatching(/^43\d\d\d$/)]
    expect(await send(`/limited?${protocol}`)).toEqual(refused)
    expect(await send(`/limited?${protocol}`, 'POST')).toEqual(refused)
    expect(await send(`/limited/health?${protocol}`)).toEqual([200, null, null, null])
    expect(await send(`/limited?other-${protocol}`)).toEqual([200, policy, '"test";r=1;t=43200', null])
  })

  it('sends the fields with a response that starts immediately', async () => {
    expect(await send(`/stream?stream-${protocol}`)).toEqual([200, '"test";q=2;w=86400', '"test";r=1;t=43200', null])
  })

  it('takes each unit only once when requests arrive at the same time', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(`/limited?many-${protocol}`)))
    expect(replies.filter(([status]) => status === 200)).toHaveLength(2)
    expect(replies.filter(([status]) => status === 429)).toHaveLength(18)
  })
})
