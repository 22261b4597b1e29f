import { rawExchange } from '@fw/testing'
import type { Context } from '@fw/types'
import { expect, it } from 'vitest'
import { Server } from '../../src/index.ts'

// RFC 9112 §3.2.2: the authority of an absolute target replaces Host.
it.each([
  ['http://a.test:81/x', 'a.test:81', 'http://a.test:81/x'],
  ['HTTP://A.test/x', 'A.test', 'http://a.test/x'],
  ['/x', 'b.test', 'http://b.test/x'],
])('shows a handler one host for the target %s and Host: b.test', async (target, host, url) => {
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
