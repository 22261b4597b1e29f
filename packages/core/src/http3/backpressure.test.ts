import { settle } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { outcomeOf, serveHttp3 } from '../../test/serve-http3.ts'

/** Resolves with `value()` when it has not changed for 100 ms. */
async function settled(value: () => number): Promise<number> {
  for (let before = -1, same = 0; ;) {
    await settle(20)
    same = value() === before ? same + 1 : 0
    before = value()
    if (same === 5) return before
  }
}

describe('HTTP/3 backpressure', () => {
  it('blocks the handler while the client is not reading, without losing bytes', async () => {
    let written = 0
    const total = 8_000_000
    await using server = await serveHttp3((exchange) => {
      void (async () => {
        exchange.start(200, [])
        for (let n = 0; written < total; n++) {
          const chunk = Buffer.alloc(10_000, n)
          written += chunk.length
          if (!exchange.write(chunk)) await exchange.drained()
        }
        exchange.end()
      })()
    })
    const client = await server.connect()
    const response = await client.request({ path: '/' })
    const stalledAt = await settled(() => written)
    // Covers the client's window, the bytes in transit, and one more write.
    expect(stalledAt).toBeLessThan(500_000)
    let at = 0
    let isIntact = true
    for await (const slice of response.body) {
      for (const byte of slice) isIntact &&= byte === (Math.floor(at++ / 10_000) & 0xff)
    }
    expect([at, isIntact]).toEqual([total, true])
  })

  it('sends other responses while the client is not reading one', async () => {
    await using server = await serveHttp3((exchange) =>
      exchange.respond(200, [], Buffer.alloc(exchange.target === '/big' ? 5_000_000 : 50_000)),
    )
    const client = await server.connect()
    const stalled = await client.request({ path: '/big' })
    for (let i = 0; i < 20; i++) expect(await (await client.request({ path: '/' })).bytes()).toHaveLength(50_000)
    expect(await stalled.bytes()).toHaveLength(5_000_000)
  })

  it('returns false from write while bytes are buffered, until drained() resolves', async () => {
    const exchanges: Exchange[] = []
    await using server = await serveHttp3((exchange) => {
      exchanges.push(exchange)
      exchange.start(200, [])
    })
    const response = await (await server.connect()).request({ path: '/' })
    const [exchange] = exchanges
    if (exchange === undefined) throw new Error('No request')
    expect(exchange.write(Buffer.from('small'))).toBe(true)
    expect(exchange.bufferedBytes).toBe(0)
    expect(exchange.write(Buffer.alloc(1_000_000))).toBe(false)
    expect(exchange.bufferedBytes).toBeGreaterThan(500_000)
    let isDrained = false
    const drained = exchange.drained().then(() => (isDrained = true))
    await settled(() => exchange.bufferedBytes)
    expect(isDrained).toBe(false)
    const outcome = outcomeOf(exchange)
    exchange.end()
    expect(await response.bytes()).toHaveLength(1_000_005)
    await drained
    expect(exchange.bufferedBytes).toBe(0)
    expect(await outcome).toEqual({ status: 200, bodyBytes: 1_000_005, aborted: false })
  })

  it('blocks the client while the handler is not reading the body, without losing bytes', async () => {
    const exchanges: Exchange[] = []
    await using server = await serveHttp3((exchange) => void exchanges.push(exchange), {
      maxBufferedBodyBytes: 32 * 1024,
    })
    const client = await server.connect()
    let sent = 0
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 200; n++) {
        yield Buffer.alloc(20_000, n)
        sent += 20_000
      }
    }
    const response = client.request({ path: '/', body: body() })
    const stalledAt = await settled(() => sent)
    // Covers the stream's window, the buffer limit, and one more slice.
    expect(stalledAt).toBeLessThan(500_000)

    const [exchange] = exchanges
    let at = 0
    let isIntact = true
    exchange?.body.consume({
      data: (chunk) => {
        for (const byte of chunk) isIntact &&= byte === Math.floor(at++ / 20_000)
      },
      end: () => exchange.respond(200, [], 'read'),
      error: (error) => exchange.abort(error),
    })
    expect(await (await response).text()).toBe('read')
    expect([at, isIntact]).toEqual([4_000_000, true])
  })

  it('blocks the client while the body is paused, and delays the end of the body', async () => {
    const exchanges: Exchange[] = []
    let received = 0
    let hasEnded = false
    await using server = await serveHttp3((exchange) => {
      exchanges.push(exchange)
      exchange.body.consume({
        data: (chunk) => {
          received += chunk.length
          exchange.body.pause()
        },
        end: () => {
          hasEnded = true
          exchange.respond(200, [], 'read')
        },
        error: (error) => exchange.abort(error),
      })
    })
    const client = await server.connect()
    const response = client.request({ path: '/', body: Buffer.alloc(500_000) })
    const stalledAt = await settled(() => received)
    expect(stalledAt).toBeLessThan(50_000)
    while (!hasEnded) {
      exchanges[0]?.body.resume()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(received).toBe(500_000)
    expect(await (await response).text()).toBe('read')
  })
})
