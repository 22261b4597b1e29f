import { eachProtocol, rawExchange } from '@fw/testing'
import type { Context } from '@fw/types'
import { expect, it } from 'vitest'
import { Server } from '../../src/index.ts'

// RFC 9112 §3.2.2: the authority of an absolute target replaces Host.
it.each([
  ['http://a.test:81/x', 'a.test:81', 'http://a.test:81/x'],
  ['HTTP://A.test/x', 'A.test', 'http://a.test/x'],
  ['/x', 'b.test', 'http://b.test/x'],
])('provides a handler with one host for the target %s and Host: b.test', async (target, host, url) => {
  await using server = new Server()
  const contexts: Context[] = []
  server.router().get('/x', (ctx) => {
    contexts.push(ctx)
    return {
      host: ctx.headers.get('host'),
      all: ctx.headers.getAll('Host'),
      url: ctx.request.url,
      fields: [...ctx.headers],
    }
  })
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
  const wire = `GET ${target} HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n`
  const { text } = await rawExchange(port ?? 0, wire, { timeoutMs: 30_000 })
  expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
    host,
    all: [host],
    url,
    fields: [
      ['host', host],
      ['connection', 'close'],
    ],
  })
  expect(contexts[0]?.exchange.authority).toBe(host)
  expect([...new Headers([...(contexts[0]?.request.headers ?? [])])]).toContainEqual(['host', host])
})

// RFC 3986 §3.2.2 has IPvFuture addresses. The URL standard, and therefore a standard Request's URL, does not.
eachProtocol(
  'an IPvFuture host',
  async ({ tls, http3 }) => {
    const server = new Server({ ...(tls && { tls: { key: tls.key, cert: tls.cert } }), http3 })
    server.router().get('/x', ({ exchange, request }) => [exchange.authority, request.url.replace(/^https?:/, '')])
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    return { port, close: () => server.close() }
  },
  (client) => {
    it.each([
      ['[v1.a]', '//ipvfuture.invalid/x'],
      ['[V1F.a:b]:81', '//ipvfuture.invalid:81/x'],
    ])('reaches a handler as %s, and its Request with the URL %s', async (host, url) => {
      const response = await client().request({ path: '/x', headers: [['host', host]] })
      expect([response.status, await response.json()]).toEqual([200, [host, url]])
    })
  },
)
