import { settle } from '@fw/testing'
import { encodeFields, H3Frame, h3Frame } from '@fw/testing/h3'
import { expect, it } from 'vitest'
import { serveHttp3 } from '../serve-http3.ts'
import { head } from './raw-acts.ts'

const HALF_A_HEAD = head(['x-long', 'y'.repeat(100)]).subarray(0, 60)
const LEFT = {
  status: 499,
  reason: 'The client left before the end of the head',
  protocol: 'HTTP/3.0',
  remoteAddress: '127.0.0.1',
  method: undefined,
  target: undefined,
  bodyBytes: 0,
  durationMs: expect.any(Number),
}

it('half a head that is given up is reported once', async () => {
  await using server = await serveHttp3(() => {})
  const { connection } = await server.connect()
  const stream = await connection.openStream()
  await stream.send(HALF_A_HEAD)
  await expect.poll(() => connection.streamsLeft).toBeLessThan(100)
  // The bytes have to be there before the reset, which lets the rest go.
  await settle(50)
  stream.reset(0x10c)
  stream.stop(0x10c)
  await expect.poll(() => server.refused).toEqual([LEFT])
})

it('half a head on a connection that is closed is reported once for each stream', async () => {
  await using server = await serveHttp3(() => {})
  const { connection } = await server.connect()
  for (let i = 0; i < 3; i++) await (await connection.openStream()).send(HALF_A_HEAD)
  await settle(50)
  connection.close()
  await expect.poll(() => server.refused).toEqual([LEFT, LEFT, LEFT])
})

it('half a head on a connection that falls silent is reported when that is noticed', async () => {
  await using server = await serveHttp3(() => {})
  const { connection } = await server.connect({ idleTimeoutMs: 300 })
  await (await connection.openStream()).send(HALF_A_HEAD)
  await settle(50)
  connection.vanish()
  await expect.poll(() => server.refused).toEqual([LEFT])
})

it.each([
  ['nothing', ''],
  ['an unknown frame, which begins no head', h3Frame(0x21, 'grease')],
])('%s on a stream that is given up is not reported', async (_what, bytes) => {
  await using server = await serveHttp3((exchange) => exchange.respond(204, [], null))
  const client = await server.connect()
  const stream = await client.connection.openStream()
  await stream.send(bytes)
  await settle(50)
  stream.reset(0x10c)
  expect((await client.request({ path: '/' })).status).toBe(204)
  expect(server.refused).toEqual([])
})

it('a refused head whose stream is then given up is reported as what it was refused for, alone', async () => {
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

it('a request that a handler has is not reported when it is given up', async () => {
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
