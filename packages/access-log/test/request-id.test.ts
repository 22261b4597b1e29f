import { App, Server, type Context } from '@fw/core'
import * as log from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { accessLog, RequestId, requestId, RequestLogger, type RequestIdOptions } from '../src/index.ts'

/** RFC 9562 §5.7 and §5.4. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

const logged = new log.MemorySink()

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  log.setSinks([logged])
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  server
    .router()
    .use(accessLog({ format: 'json' }), requestId())
    .get('/', (ctx) => {
      ctx.local(RequestLogger).info('hello')
      return ctx.get(RequestId)
    })
    .get('/fails', () => {
      throw new Error('broken')
    })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('requestId()', start, (client) => {
  it('sends a new UUID with each response and ignores the ID in the request', async () => {
    const ids = new Set<string>()
    for (let i = 0; i < 3; i++) {
      const headers: [string, string][] = [['x-request-id', 'mine']]
      const response = await client().request({ method: 'GET', path: '/', headers })
      const id = response.headers.get('x-request-id') ?? ''
      expect((await response.bytes()).toString()).toBe(id)
      expect(id).toMatch(UUID)
      ids.add(id)
    }
    expect(ids.size).toBe(3)
  })

  it('appears in the log entry and the messages of the request', async () => {
    const response = await client().request({ method: 'GET', path: '/' })
    await response.bytes()
    const id = response.headers.get('x-request-id') ?? ''
    await expect.poll(() => logged.records().filter(({ message }) => message.includes(id)).length).toBe(2)
  })

  it('appears in error responses', async () => {
    const response = await client().request({ method: 'GET', path: '/fails' })
    await response.bytes()
    expect([response.status, response.headers.get('x-request-id')]).toEqual([500, expect.stringMatching(UUID)])
  })
})

async function ask(options: RequestIdOptions, headers: Record<string, string>): Promise<(string | null)[]> {
  const app = new App()
  app.router.use(requestId(options)).get('/', (ctx) => ctx.local(RequestId))
  const response = await app.fetch('/', { headers })
  return [await response.text(), response.headers.get(options.header ?? 'x-request-id')]
}

function isFromProxy(ctx: Context): boolean {
  return ctx.headers.get('x-from') === 'proxy'
}

describe('requestId()', () => {
  it.each(['a', 'x'.repeat(128), '0193-f!', 'trace=1;b'])('uses the trusted ID %s', async (id) => {
    expect(await ask({ trust: true }, { 'x-request-id': id })).toEqual([id, id])
  })

  it.each(['', 'x'.repeat(129), 'a b', 'a"b', 'a]b', 'a\\b', 'é', 'a,\tb'])(
    'replaces the invalid ID %j',
    async (id) => {
      const [inHandler] = await ask({ trust: true }, { 'x-request-id': id })
      expect(inHandler).toMatch(UUID)
    },
  )

  it('trusts the IDs of requests that the function accepts', async () => {
    const options: RequestIdOptions = { trust: isFromProxy }
    expect(await ask(options, { 'x-request-id': 'a', 'x-from': 'proxy' })).toEqual(['a', 'a'])
    expect((await ask(options, { 'x-request-id': 'a' }))[0]).toMatch(UUID)
  })

  it('uses the configured header field', async () => {
    expect(await ask({ header: 'X-Trace', trust: true }, { 'x-trace': 'a' })).toEqual(['a', 'a'])
  })

  it.each<[unknown, string]>([
    [{ header: 'a b' }, 'requestId: option "header" must be a field name, got "a b".'],
    [{ trust: 'yes' }, 'requestId: option "trust" must be true, false or a function, got "yes".'],
    [{ generate: true }, 'requestId: unknown option "generate". Known options: header, trust.'],
  ])('refuses %j', (options, message) => {
    expect(() => requestId(options as RequestIdOptions)).toThrow(message)
  })
})
