import type { Exchange } from '@fw/types'
import { expect, it } from 'vitest'
import { mixedUp, serveInContexts } from '../serve-in-contexts.ts'
import { Setting, windowUpdate } from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'

const MIB = 1024 * 1024
it.each([
  ['the socket', 0, 4],
  ['room in the memory budget', MIB, 2],
])(
  'keeps the async context of each request while requests are waiting for %s',
  async (_, maxBufferedBytesPerConnection, begun) => {
    // The first few responses exceed the socket buffers.
    const { port, seen } = await serveInContexts(
      (exchange) => exchange.respond(200, [], Buffer.alloc(exchange.target.length === 2 ? 4 * MIB : MIB)),
      { maxBufferedBytesPerConnection },
    )
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]] })
    client.socket.pause()
    client.send(windowUpdate(0, 2 ** 30), ...[1, 3, 5, 7].map((id) => headers(id, request('GET', `/${id}`))))
    await expect.poll(() => seen.filter(({ what }) => what === 'begin').length).toBe(begun)
    client.socket.resume()
    // Some of these requests arrive while the socket is blocked, and some while it is not.
    for (let id = 9; id < 60; id += 2) client.send(headers(id, request('GET', `/${id}`)))
    await expect.poll(() => seen.filter(({ what }) => what === 'end').length).toBe(30)
    expect(mixedUp(seen)).toEqual([])
  },
)

it('ends a waiting response in its own async context, not in the context of the response that made room', async () => {
  const waiting: Exchange[] = []
  const { port, seen } = await serveInContexts((exchange) => {
    if (exchange.target !== '/last') {
      waiting.push(exchange)
      return
    }
    for (const other of waiting) other.respond(200, [], Buffer.alloc(20_000))
    exchange.respond(200, [], Buffer.alloc(20_000))
  })
  const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 20]] })
  client.send(windowUpdate(0, 2 ** 20), headers(1, request('GET', '/first')), headers(3, request('GET', '/last')))
  await expect.poll(() => client.hasEnded(1) && client.hasEnded(3)).toBe(true)
  expect(mixedUp(seen)).toEqual([])
})
