import { once } from 'node:events'
import { connect, type ClientHttp2Session } from 'node:http2'
import { expect, it, onTestFinished } from 'vitest'
import { serveEngines } from '../serve-engines.ts'
import { FrameType, Setting, data, settings, windowUpdate } from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'

it('sends nothing on a stream that it has reset, even if the handler answers the body error (RFC 9113 §5.1)', async () => {
  const { port, outcomes } = await serveEngines((exchange) =>
    exchange.body.consume({
      data() {},
      end() {},
      error: () => exchange.respond(500, [], 'broken'),
    }),
  )
  const client = await RawClient.connect(port)
  client.send(headers(1, request('POST', '/', ['content-length', '1']), 0), data(1, 'too much', 1))
  await client.ping()
  expect(client.reset(1)).toBe('PROTOCOL_ERROR')
  expect(client.of(FrameType.HEADERS, 1)).toEqual([])
  expect(outcomes).toEqual([{ status: 0, bodyBytes: 0, aborted: true }])
})

it('passes the reason for a reset to the code that reads the body', async () => {
  const reasons: string[] = []
  const { port } = await serveEngines((exchange) =>
    exchange.body.consume({ data() {}, end() {}, error: ({ message }) => reasons.push(message) }),
  )
  const client = await RawClient.connect(port)
  client.send(headers(1, request('POST', '/', ['content-length', '1']), 0), data(1, 'too much', 1))
  await expect.poll(() => reasons).not.toEqual([])
  expect(reasons).toEqual(['Malformed request: content does not match Content-Length'])
})

it('acknowledges settings before it uses them, as nghttp2 expects (RFC 9113 §6.5.3)', async () => {
  const { port } = await serveEngines((exchange) => exchange.respond(200, [], 'x'.repeat(100)))
  const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 10]] })
  client.send(headers(1, request()))
  await client.ping()
  const before = client.frames.length
  client.send(settings([Setting.INITIAL_WINDOW_SIZE, 60]))
  await client.ping()
  expect(client.frames.slice(before).map(({ type }) => type)).toEqual([
    FrameType.SETTINGS,
    FrameType.DATA,
    FrameType.PING,
  ])
  client.send(windowUpdate(1, 100))
  await expect.poll(() => client.hasEnded(1)).toBe(true)
})

it('sends content that nghttp2 accepts after a larger INITIAL_WINDOW_SIZE', async () => {
  const { port } = await serveEngines((exchange) => exchange.respond(200, [], 'x'.repeat(100_000)))
  const session = await connected(port, 1000)
  const stream = session.request({ ':path': '/' })
  let received = 0
  stream.on('data', (chunk: Buffer) => (received += chunk.length))
  stream.pause()
  await expect.poll(() => stream.readableLength).toBeGreaterThan(0)
  session.settings({ initialWindowSize: 200_000 })
  stream.resume()
  await once(stream, 'end')
  expect(received).toBe(100_000)
})

it('signals the smallest table size of one SETTINGS frame, as nghttp2 requires (RFC 7541 §4.2)', async () => {
  const { port } = await serveEngines((exchange) => exchange.respond(200, ['x-a', 'b'], null))
  const client = await RawClient.connect(port, { settings: [[Setting.HEADER_TABLE_SIZE, 4096]] })
  client.send(settings([Setting.HEADER_TABLE_SIZE, 0], [Setting.HEADER_TABLE_SIZE, 4096]), headers(1, request()))
  await client.ping()
  expect(client.of(FrameType.HEADERS, 1)[0]?.payload.toString('hex')).toMatch(/^203fe11f/)
})

async function connected(port: number, initialWindowSize: number): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize } })
  onTestFinished(() => session.destroy())
  await once(session, 'remoteSettings')
  return session
}
