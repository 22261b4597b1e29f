import { connect } from 'node:net'
import { settle } from '@fw/testing'
import type { Exchange, Outcome } from '@fw/types'
import { describe, expect, it } from 'vitest'
import type { Limits } from '../../src/options/limits.ts'
import { serveEngines, type RunningEngines } from '../serve-engines.ts'
import { Flag, FrameType, Setting, data, frame, rstStream, settings, windowUpdate } from './frames.ts'
import { block, headers } from './hpack.ts'
import { PREFACE, RawClient, request } from './raw-client.ts'

const POST = request('POST')
const MIB = 1024 * 1024

interface Kept extends RunningEngines {
  readonly client: RawClient
  readonly exchanges: Exchange[]
}

/** Collects requests for the test to answer. */
async function serve(limits: Partial<Limits> = {}, onRequest?: (exchange: Exchange) => void): Promise<Kept> {
  const exchanges: Exchange[] = []
  const engines = await serveEngines((exchange) => {
    exchanges.push(exchange)
    onRequest?.(exchange)
  }, limits)
  return { ...engines, exchanges, client: await RawClient.connect(engines.port) }
}

/** Drains the server and answers its PING, so that it sends the final GOAWAY. */
async function leave({ client, listener }: Kept): Promise<void> {
  void listener.drain()
  await expect.poll(() => client.of(FrameType.PING).length).toBe(1)
  client.send(frame(FrameType.PING, Flag.ACK, 0, client.of(FrameType.PING)[0]?.payload))
  await expect.poll(() => client.of(FrameType.GOAWAY).length).toBe(2)
}

describe('a connection after the final GOAWAY (RFC 9113 §6.8)', () => {
  it.each([
    ['DATA', data(3, 'x')],
    ['DATA and trailers', Buffer.concat([data(3, 'x'), headers(3, block(['x-t', '1']))])],
    ['WINDOW_UPDATE', windowUpdate(3, 1)],
    ['RST_STREAM', rstStream(3)],
  ])('ignores %s for a request in transit, and finishes earlier requests', async (_name, more) => {
    const kept = await serve()
    const { client, exchanges } = kept
    client.send(headers(1, request()))
    await expect.poll(() => exchanges.length).toBe(1)
    await leave(kept)
    client.send(headers(3, POST, 0), more)
    await client.ping()
    exchanges[0]?.respond(200, [], 'x')
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    expect(client.goaway).toBe('NO_ERROR')
    expect(exchanges).toHaveLength(1)
  })

  it('resets an aborted response, even the last one', async () => {
    const kept = await serve()
    const { client, exchanges } = kept
    client.send(headers(1, request()))
    await expect.poll(() => exchanges.length).toBe(1)
    await leave(kept)
    exchanges[0]?.start(200, [])
    exchanges[0]?.abort()
    await expect.poll(() => client.isClosed).toBe(true)
    expect(client.reset(1)).toBe('INTERNAL_ERROR')
  })

  it('resets the unfinished request of a complete response with NO_ERROR, even the last one', async () => {
    const kept = await serve()
    const { client, exchanges } = kept
    client.send(headers(1, POST, 0))
    await expect.poll(() => exchanges.length).toBe(1)
    await leave(kept)
    exchanges[0]?.respond(413, [], 'too large')
    await expect.poll(() => client.isClosed).toBe(true)
    expect(client.reset(1)).toBe('NO_ERROR')
  })

  it('completes a response that the client reads slowly', async () => {
    const kept = await serve()
    const { client, exchanges, outcomes } = kept
    client.send(settings([Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]), windowUpdate(0, 2 ** 30), headers(1, request()))
    await expect.poll(() => exchanges.length).toBe(1)
    await leave(kept)
    client.socket.pause()
    exchanges[0]?.respond(200, [], Buffer.alloc(32 * MIB))
    // Wait until the socket buffers are full.
    await settle(200)
    client.socket.resume()
    await kept.listener.drain()
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 32 * MIB, aborted: false }])
  })
})

describe('a client that closes its side of the socket', () => {
  it.each([
    ['short', ''],
    ['queued', 'x'.repeat(60_000)],
  ])('receives its complete response, %s', async (_name, body) => {
    const { port, outcomes } = await serveEngines((exchange) => exchange.respond(200, [], `hello${body}`))
    const client = await RawClient.connect(port, { preface: false })
    client.socket.end(Buffer.concat([Buffer.from(PREFACE), settings(), headers(1, request())]))
    await expect.poll(() => client.isClosed).toBe(true)
    expect(client.body(1)).toBe(`hello${body}`)
    expect(outcomes).toMatchObject([{ status: 200, aborted: false }])
  })

  it('aborts its requests without a response', async () => {
    const { client, outcomes, exchanges } = await serve()
    client.send(headers(1, request()), headers(3, POST, 0))
    await expect.poll(() => exchanges.length).toBe(2)
    client.socket.end()
    await expect.poll(() => outcomes.length).toBe(2)
    expect(outcomes.every(({ aborted }) => aborted)).toBe(true)
    await expect.poll(() => client.isClosed).toBe(true)
  })

  it('receives responses to all 90 requests that it has already sent', async () => {
    let served = 0
    const { port } = await serveEngines((exchange) => {
      served++
      exchange.respond(200, [], 'x')
    })
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume()
    const requests = Array.from({ length: 90 }, (_, n) => headers(2 * n + 1, request()))
    socket.end(Buffer.concat([Buffer.from(PREFACE), settings(), ...requests]))
    await expect.poll(() => socket.closed).toBe(true)
    expect(served).toBe(90)
  })
})

describe('a response without a body', () => {
  it.each([
    ['HEAD', 200],
    ['POST', 204],
  ])('is aborted when the client disconnects: %s, status %i', async (method, status) => {
    const { client, outcomes, exchanges } = await serve({}, (exchange) => exchange.start(status, []))
    client.send(headers(1, request(method), 0))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    client.send(data(1, 'x', Flag.END_STREAM))
    await client.ping()
    client.socket.destroy()
    await expect.poll(() => outcomes).toEqual([{ status, bodyBytes: 0, aborted: true } satisfies Outcome])
    expect(exchanges[0]?.isOpen).toBe(false)
  })
})

describe('a frame for a refused stream', () => {
  it('is ignored for each of 900 streams refused together', async () => {
    const { client, exchanges } = await serve()
    const ids = Array.from({ length: 1000 }, (_, n) => 2 * n + 1)
    // The client sends these before it can receive the limit.
    const first = await RawClient.connect(client.socket.remotePort ?? 0, { preface: false, acknowledges: false })
    const asked = ids.map((id) => headers(id, POST, 0))
    const sent = ids.map((id) => data(id, 'x', Flag.END_STREAM))
    first.send(PREFACE, settings([Setting.HEADER_TABLE_SIZE, 0]), ...asked, ...sent)
    await first.ping()
    expect(first.goaway).toBeUndefined()
    expect(exchanges).toHaveLength(100)
    expect(first.of(FrameType.RST_STREAM)).toHaveLength(900)
  })
})
