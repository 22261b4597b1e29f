import { setSinks } from '@fw/log'
import { eachProtocol, rawExchange, type ServerDemand } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { App, Server, type Refusal, type ServerOptions } from '../src/index.ts'

beforeAll(() => setSinks([]))

const HOSTS = ['example.org', '.example.net', '127.0.0.1', '[::1]']
const refusals: Refusal[] = []
let served = 0

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3, allowedHosts: HOSTS })
  const counting = Object.assign((_: unknown, next: () => unknown) => (served++, next()), {
    refused: (refusal: Refusal) => void refusals.push(refusal),
  })
  server
    .router()
    .use(counting)
    .all('/', async (ctx) => `${ctx.request.url} ${(await ctx.bytes()).byteLength}`)
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

eachProtocol('allowedHosts', start, (client) => {
  const statusFor = async (host: string, body?: Uint8Array): Promise<number> => {
    const method = body === undefined ? 'GET' : 'POST'
    const headers: [string, string][] = [['host', host]]
    const response = await client().request({ method, path: '/', headers, ...(body && { body }) })
    await response.bytes()
    return response.status
  }

  it.each<[string, number]>([
    ['example.org', 200],
    ['EXAMPLE.org', 200],
    ['example.org.', 200],
    ['example.org:8443', 200],
    ['example.net', 200],
    ['a.example.net', 200],
    ['a.b.Example.net:1', 200],
    ['127.0.0.1:80', 200],
    ['[::1]:80', 200],
    ['www.example.org', 421],
    ['badexample.net', 421],
    ['example.net.attacker.example', 421],
    ['example.org.attacker.example', 421],
    ['attacker.example', 421],
    ['localhost', 421],
    ['127.0.0.2', 421],
    ['[::2]', 421],
    ['[v1.example.net]', 421],
    ['%65xample.org', 421],
    ['example.org..', 421],
  ])('responds to the host %s with %i', async (host, status) => {
    expect(await statusFor(host)).toBe(status)
  })

  it('refuses before any middleware runs, and notifies it of the refusal', async () => {
    const [servedBefore, refusalsBefore] = [served, refusals.length]
    expect(await statusFor('attacker.example')).toBe(421)
    expect(served).toBe(servedBefore)
    expect(refusals.slice(refusalsBefore)).toMatchObject([
      { status: 421, method: 'GET', target: '/', reason: 'The host is not one of allowedHosts' },
    ])
  })

  it('serves the next request on the connection', async () => {
    expect(await statusFor('attacker.example', new Uint8Array(100_000))).toBe(421)
    expect(await statusFor('example.org', new Uint8Array(100_000))).toBe(200)
  })
})

describe('allowedHosts', () => {
  it('compares the authority of an absolute request target instead of Host (RFC 9112 §3.2.2)', async () => {
    await using server = new Server({ allowedHosts: HOSTS })
    server.router().get('/', () => 'hello')
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const statusOf = async (target: string, host: string): Promise<string> => {
      const { text } = await rawExchange(
        Number(url.port),
        `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
      )
      return text.slice(9, 12)
    }
    expect(await statusOf('http://attacker.example/', 'example.org')).toBe('421')
    expect(await statusOf('http://example.org/', 'attacker.example')).toBe('200')
  })

  it('refuses an HTTP/1.0 request without Host', async () => {
    await using server = new Server({ allowedHosts: HOSTS })
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const { text } = await rawExchange(Number(url.port), 'GET / HTTP/1.0\r\n\r\n')
    expect(text).toContain(' 421 ')
  })

  it('applies to requests without a socket', async () => {
    const app = new App({ allowedHosts: ['example.org'] })
    app.router.get('/', () => 'hello')
    expect((await app.fetch('/')).status).toBe(421)
    expect((await app.fetch('https://example.org/')).status).toBe(200)
  })

  it.each<[unknown, string]>([
    ['example.org', 'Server: option "allowedHosts" must be a list of hosts, got "example.org".'],
    [
      [],
      'Server: option "allowedHosts" must be a list of hosts, got an array. Write for example [\'example.org\'], or omit it',
    ],
    [['*.example.org'], `got "*.example.org". Write '.example.org' for a domain and its subdomains.`],
    [
      ['https://example.org'],
      'option "allowedHosts[0]" must be a host without scheme and port, got "https://example.org".',
    ],
    [['example.org:80'], 'option "allowedHosts[0]" must be a host without scheme and port, got "example.org:80".'],
    [['example.org', ''], 'option "allowedHosts[1]" must be a host without scheme and port, got "".'],
    [['bücher.example'], 'option "allowedHosts[0]" must be a host without scheme and port, got "bücher.example".'],
    [['example.org.'], 'option "allowedHosts[0]" must be a host without scheme and port, got "example.org.".'],
    [['.'], 'option "allowedHosts[0]" must be a host without scheme and port, got ".".'],
    [[5], 'option "allowedHosts[0]" must be a host without scheme and port, got 5.'],
  ])('must be a list of hosts, not %j', (allowedHosts, message) => {
    expect(() => new Server({ allowedHosts } as ServerOptions)).toThrow(message)
  })
})
