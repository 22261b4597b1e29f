import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { connect, rawExchange, TEST_PROTOCOLS, testCertificate } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SseChannel } from '../src/index.ts'

let server: Server
let clearPort = 0
let securePort = 0
let channel = new SseChannel()

beforeAll(async () => {
  setSinks([])
  const { key, cert } = await testCertificate()
  server = new Server({ tls: { key, cert }, http3: true })
  server.router().get('/', (ctx) => channel.serve(ctx, { heartbeatMs: 0 }))
  const clear = await server.listen({ port: 0, host: '127.0.0.1', tls: false, http3: false })
  const secure = await server.listen({ port: 0, host: '127.0.0.1' })
  clearPort = Number(clear.url.port)
  securePort = Number(secure.url.port)
})
afterAll(() => server.close({ drainMs: 0 }))

const subscribers = (count: number): Promise<void> =>
  vi.waitFor(() => expect(channel.stats.subscribers).toBe(count), { timeout: 30_000, interval: 5 })

describe('a broadcast', () => {
  it.each([
    ['small events', ['one', 'two\nlines', 'é']],
    // More bytes than one socket write accepts.
    ['large events', ['x'.repeat(200_000), 'y'.repeat(70_000)]],
  ])('sends %s unchanged to streams of every protocol at the same time', async (_, texts) => {
    channel = new SseChannel()
    const clients = await Promise.all(
      TEST_PROTOCOLS.map((protocol) =>
        connect(protocol, { port: protocol === 'h1' || protocol === 'h2c' ? clearPort : securePort }),
      ),
    )
    const whole = Promise.all(
      clients.map(async (client) => {
        const response = await client.request({ path: '/' })
        return response.text()
      }),
    )
    // HTTP/1.0 does not support chunked encoding.
    const bare = rawExchange(clearPort, 'GET / HTTP/1.0\r\n\r\n', { timeoutMs: 30_000 })
    await subscribers(clients.length + 1)
    for (const text of texts) {
      channel.publish('n', text, { id: '1' })
      await new Promise((resolve) => setImmediate(resolve))
    }
    await channel.close({ retryMs: 1, spreadMs: 0 })

    const blocks = texts.map((text) => `event: n\nid: 1\n${text.replaceAll(/^/gm, 'data: ')}\n\n`)
    const expected = `${blocks.join('')}retry: 1\n\n`
    // Compare the strings here, because a diff of long strings is unreadable.
    expect((await whole).map((text) => text === expected)).toEqual(clients.map(() => true))
    const { text, ended } = await bare
    expect(Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1').toString() === expected).toBe(true)
    expect(ended).toBe('fin')
    for (const client of clients) await client.close()
  })

  it('is one HTTP/1.1 chunk for all events of a turn', async () => {
    channel = new SseChannel()
    const wire = rawExchange(clearPort, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n', { timeoutMs: 30_000 })
    await subscribers(1)
    channel.publish('', 'a', { id: '1' })
    channel.publish('', 'b', { id: '2' })
    await new Promise((resolve) => setImmediate(resolve))
    channel.publish('', 'c', { id: '3' })
    await channel.close({ retryMs: 1, spreadMs: 0 })
    const { text } = await wire
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(
      '1e\r\nid: 1\ndata: a\n\nid: 2\ndata: b\n\n\r\n' +
        'f\r\nid: 3\ndata: c\n\n\r\n' +
        'a\r\nretry: 1\n\n\r\n0\r\n\r\n',
    )
  })
})
