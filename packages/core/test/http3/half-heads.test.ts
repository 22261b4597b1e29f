import { settle } from '@fw/testing'
import { encodeFields, H3Frame, h3Frame } from '@fw/testing/h3'
import { describe, expect, it } from 'vitest'
import { serveHttp3 } from '../serve-http3.ts'
import { head } from './raw-acts.ts'

const PARTIAL_HEAD = head(['x-long', 'y'.repeat(100)]).subarray(0, 60)
const LEFT = {
  status: 499,
  reason: 'The client disconnected before the end of the head',
  protocol: 'HTTP/3.0',
  remoteAddress: '127.0.0.1',
  method: undefined,
  target: undefined,
  bodyBytes: 0,
  durationMs: expect.any(Number),
}

describe('a partial request head', () => {
  it('is reported once if the client resets the stream', async () => {
    await using server = await serveHttp3(() => {})
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    await stream.send(PARTIAL_HEAD)
    await expect.poll(() => connection.streamsLeft).toBeLessThan(100)
    // The bytes must arrive before the reset, which discards the rest.
    await settle(50)
    stream.reset(0x10c)
    stream.stop(0x10c)
    await expect.poll(() => server.refused).toEqual([LEFT])
  })

  it('is reported once for each stream if the client closes the connection', async () => {
    await using server = await serveHttp3(() => {})
    const { connection } = await server.connect()
    for (let i = 0; i < 3; i++) await (await connection.openStream()).send(PARTIAL_HEAD)
    await settle(50)
    connection.close()
    await expect.poll(() => server.refused).toEqual([LEFT, LEFT, LEFT])
  })

  it('is reported on the idle timeout if the client disappears', async () => {
    await using server = await serveHttp3(() => {})
    const { connection } = await server.connect({ idleTimeoutMs: 300 })
    await (await connection.openStream()).send(PARTIAL_HEAD)
    await settle(50)
    connection.vanish()
    await expect.poll(() => server.refused).toEqual([LEFT])
  })

  it.each([
    ['without bytes', ''],
    ['with only an unknown frame', h3Frame(0x21, 'grease')],
  ])('is not reported for a reset stream %s', async (_what, bytes) => {
    await using server = await serveHttp3((exchange) => exchange.respond(204, [], null))
    const client = await server.connect()
    const stream = await client.connection.openStream()
    await stream.send(bytes)
    await settle(50)
    stream.reset(0x10c)
    expect((await client.request({ path: '/' })).status).toBe(204)
    expect(server.refused).toEqual([])
  })

  it('is reported once, with the reason for its refusal, if the client resets the stream later', async () => {
    await using server = await serveHttp3(() => {}, { maxFields: 1 })
    const client = await server.connect()
    const stream = await client.connection.openStream()
    await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(Array.from({ length: 9 }, (_, i) => [`x-${i}`, 'y']))))
    await expect.poll(() => server.refused).toHaveLength(1)
    stream.reset(0x10c)
    stream.stop(0x10c)
    client.connection.close()
    await settle(50)
    expect(server.refused).toEqual([expect.objectContaining({ status: 431 })])
  })

  it('is not reported if it is complete and a handler has received the request', async () => {
    await using server = await serveHttp3(() => {})
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    await stream.send(head())
    await settle(50)
    stream.reset(0x10c)
    connection.close()
    await settle(50)
    expect(server.refused).toEqual([])
  })
})
