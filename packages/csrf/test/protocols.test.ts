import { once } from 'node:events'
import { connect } from 'node:http2'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, rawExchange, type ServerDemand } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { csrf, type CsrfOptions } from '../src/index.ts'

const TRUSTED = 'https://trusted.example'

beforeAll(() => setSinks([]))

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  const router = server.router().use(csrf({ trustedOrigins: [TRUSTED] }))
  router.get('/', () => 'read').post('/', () => 'changed')
  router.post('/hook', { csrf: false }, () => 'called')
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('csrf()', start, (client) => {
  const statusOf = async (headers: [string, string][], method = 'POST', path = '/'): Promise<number> => {
    const response = await client().request({ method, path, headers })
    await response.bytes()
    return response.status
  }

  it.each<[string, string, number]>([
    ['same-origin', 'https://anything.example', 200],
    ['none', 'https://anything.example', 200],
    ['cross-site', 'https://attacker.example', 403],
    ['same-site', 'https://other.example', 403],
    ['cross-site', TRUSTED, 200],
  ])('responds to Sec-Fetch-Site: %s from %s with %i', async (site, origin, status) => {
    const headers: [string, string][] = [
      ['sec-fetch-site', site],
      ['origin', origin],
    ]
    expect(await statusOf(headers)).toBe(status)
    expect(await statusOf(headers, 'GET')).toBe(200)
    expect(await statusOf(headers, 'POST', '/hook')).toBe(200)
  })

  it.each<[string, string, number]>([
    ['https://example.com', 'example.com', 200],
    ['http://example.com:8080', 'example.com:8080', 200],
    ['https://example.com:8443', 'example.com', 403],
    ['https://attacker.example', 'example.com', 403],
    ['null', 'example.com', 403],
  ])('responds to the origin %s on the host %s with %i', async (origin, host, status) => {
    const headers: [string, string][] = [
      ['host', host],
      ['origin', origin],
    ]
    expect(await statusOf(headers)).toBe(status)
  })

  it('accepts a request with neither field', async () => {
    expect(await statusOf([])).toBe(200)
  })
})

/** Sends a WebSocket handshake. Returns the first line of the response. */
async function offer(options: CsrfOptions, ...lines: readonly string[]): Promise<string> {
  await using server = new Server()
  server
    .router()
    .use(csrf(options))
    .get('/', (ctx) => `upgrade: ${ctx.exchange.upgrade !== undefined}`)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  const head = ['GET / HTTP/1.1', `host: ${url.host}`, 'connection: close, Upgrade', ...lines]
  const own = head.map((line) => line.replace('SELF', url.host))
  const { text } = await rawExchange(Number(url.port), `${own.join('\r\n')}\r\n\r\n`)
  return text.slice(0, text.indexOf('\r\n'))
}

describe('a request that offers to upgrade', () => {
  const WEBSOCKET = 'upgrade: websocket'

  it.each<[number, CsrfOptions, readonly string[]]>([
    [403, {}, [WEBSOCKET, 'origin: https://attacker.example']],
    [403, {}, [WEBSOCKET, 'origin: https://attacker.example', 'sec-fetch-site: cross-site']],
    [403, {}, [WEBSOCKET, 'origin: null']],
    [200, {}, [WEBSOCKET, 'origin: http://SELF']],
    [200, {}, [WEBSOCKET, 'sec-fetch-site: same-origin']],
    [200, {}, [WEBSOCKET]],
    [200, {}, ['upgrade: h2c']],
    [200, { trustedOrigins: [TRUSTED] }, [WEBSOCKET, `origin: ${TRUSTED}`]],
    [200, { upgrades: false }, [WEBSOCKET, 'origin: https://attacker.example']],
    [200, {}, ['origin: https://attacker.example']],
  ])('is answered with %i for the options %j and the lines %j', async (status, options, lines) => {
    expect(await offer(options, ...lines)).toContain(` ${status} `)
  })
})

describe('an extended CONNECT (RFC 8441)', () => {
  it.each<[number, CsrfOptions, Record<string, string>]>([
    [403, {}, { origin: 'https://attacker.example' }],
    [403, {}, { 'sec-fetch-site': 'cross-site' }],
    [200, {}, { 'sec-fetch-site': 'same-origin' }],
    [200, {}, {}],
    [200, { upgrades: false }, { origin: 'https://attacker.example' }],
  ])('is answered with %i for the options %j and the fields %j', async (status, options, fields) => {
    await using server = new Server()
    server
      .router()
      .use(csrf(options))
      .get('/', { tunnels: ['websocket'] }, (ctx) => void ctx.exchange.tunnel([]).resume().end())
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const client = connect(url)
    await once(client, 'remoteSettings')
    const stream = client.request({ ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/', ...fields })
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>]
    expect(head[':status']).toBe(status)
    client.destroy()
  })
})
