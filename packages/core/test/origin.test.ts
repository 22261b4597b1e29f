import { setSinks } from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { App, type AppOptions, Server, type TrustProxy } from '../src/index.ts'

beforeAll(() => setSinks([]))

const TRUST: TrustProxy = {
  proxies: ['127.0.0.0/8'],
  header: 'x-forwarded-for',
  origin: ['scheme', 'host'],
}

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3, trustProxy: TRUST })
  server.router().get('/:name', (ctx) => {
    ctx.cookies.set('a', 'b')
    return { origin: ctx.origin, url: ctx.request.url }
  })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('ctx.origin', start, (client, protocol) => {
  const own = protocol === 'h1' || protocol === 'h2c' ? 'http' : 'https'

  async function ask(...headers: [string, string][]) {
    const response = await client().request({ method: 'GET', path: '/x?y', headers })
    const text = (await response.bytes()).toString()
    const isSecure = response.headers.get('set-cookie')?.includes('Secure') ?? false
    return { status: response.status, text, isSecure }
  }

  it.each<[string, [string, string][], string]>([
    ['the request', [['host', 'example.org']], `${own}://example.org`],
    ['the request with a port', [['host', 'example.org:8443']], `${own}://example.org:8443`],
    ['the request in lower case', [['host', 'EXAMPLE.org']], `${own}://example.org`],
    [
      'a trusted proxy',
      [
        ['host', 'internal:80'],
        ['x-forwarded-proto', 'https'],
        ['x-forwarded-host', 'example.org:443'],
      ],
      'https://example.org',
    ],
    [
      'a trusted proxy in cleartext',
      [
        ['host', 'internal'],
        ['x-forwarded-proto', 'http'],
        ['x-forwarded-host', 'example.org:443'],
      ],
      'http://example.org:443',
    ],
  ])('is that of %s, and so is the origin of the request URL', async (_, headers, origin) => {
    const { status, text, isSecure } = await ask(...headers)
    expect([status, JSON.parse(text)]).toEqual([200, { origin, url: `${origin}/x?y` }])
    expect(isSecure).toBe(origin.startsWith('https:'))
  })

  it.each<[string, string]>([
    ['x-forwarded-proto', 'ftp'],
    ['x-forwarded-proto', 'https, http'],
    ['x-forwarded-host', 'a b'],
    ['x-forwarded-host', 'a/b'],
    ['x-forwarded-host', 'user@a'],
    ['x-forwarded-host', ''],
  ])('responds with 400 to %s: %s from a trusted proxy', async (name, value) => {
    expect((await ask([name, value])).status).toBe(400)
  })
})

async function originFor(
  options: AppOptions,
  headers: Record<string, string>,
  url = 'http://internal/',
): Promise<string> {
  const app = new App(options)
  app.router.get('/', (ctx) => ctx.origin)
  const response = await app.fetch(url, { headers })
  return response.ok ? await response.text() : String(response.status)
}

describe('ctx.origin', () => {
  const HEADERS = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'example.org' }

  it('ignores the fields without a trusted proxy', async () => {
    expect(await originFor({}, HEADERS)).toBe('http://internal')
    expect(await originFor({ trustProxy: false }, HEADERS)).toBe('http://internal')
    expect(await originFor({ trustProxy: TRUST }, HEADERS)).toBe('http://internal')
  })

  it.each(['http://[::1]:8080', 'https://xn--bcher-kva.example', 'http://127.0.0.1'])('is %s', async (origin) => {
    expect(await originFor({}, {}, `${origin}/`)).toBe(origin)
  })

  it('responds with 400 if the host is not valid in a URL', async () => {
    expect(await originFor({}, { host: '1.2.3.999' })).toBe('400')
  })

  it('is not needed for cookies, whose scheme never throws', async () => {
    const app = new App({ trustProxy: { proxies: 1, header: 'x-forwarded-for', origin: ['scheme'] } })
    app.router.get('/', (ctx) => {
      ctx.cookies.set('a', 'b')
      return ctx.scheme
    })
    const ask = async (headers: Record<string, string>): Promise<unknown[]> => {
      const response = await app.fetch('/', { headers })
      return [await response.text(), response.headers.get('set-cookie')?.includes('Secure')]
    }
    expect(await ask({ host: '1.2.3.999' })).toEqual(['http', false])
    expect(await ask({ 'x-forwarded-proto': 'https, http' })).toEqual(['http', false])
    expect(await ask({ host: '1.2.3.999', 'x-forwarded-proto': 'https' })).toEqual(['https', true])
  })

  it('compares the host that a proxy reports to allowedHosts', async () => {
    await using server = new Server({ trustProxy: TRUST, allowedHosts: ['127.0.0.1', 'example.org'] })
    server.router().get('/', (ctx) => ctx.origin)
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const originAt = async (host: string): Promise<string> => {
      const response = await fetch(url, { headers: { 'x-forwarded-host': host } })
      return response.ok ? await response.text() : String(response.status)
    }
    expect(await originAt('example.org')).toBe('http://example.org')
    expect(await originAt('attacker.example')).toBe('421')
  })
})
