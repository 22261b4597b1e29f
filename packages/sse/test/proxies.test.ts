import { once } from 'node:events'
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { beforeAll, expect, it } from 'vitest'
import { SseChannel } from '../src/index.ts'

beforeAll(() => setSinks([]))

it('limits each client of a trusted proxy separately on one connection', async () => {
  await using channel = new SseChannel({ maxStreamsPerSession: 1 })
  await using server = new Server({ trustProxy: { proxies: ['127.0.0.1'], header: 'x-forwarded-for' } })
  server.router().get('/', (ctx) => channel.serve(ctx))
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  const proxy = connect(url)
  const [first, other, again] = [open(proxy, '10.0.0.1'), open(proxy, '10.0.0.2'), open(proxy, '10.0.0.1')]
  // Wait for all responses at the same time, because several can arrive together.
  await Promise.all([first, other, again].map((stream) => once(stream, 'response')))
  again.resume()
  await once(again, 'end')
  expect(channel.stats.subscribers).toBe(2)
  expect([first.closed, other.closed]).toEqual([false, false])
  proxy.destroy()
})

function open(proxy: ClientHttp2Session, client: string): ClientHttp2Stream {
  return proxy.request({ ':path': '/', 'x-forwarded-for': client })
}
