import { describe, expect, it } from 'vitest'
import { serveEngines } from '../serve-engines.ts'
import { Flag, FrameType, data } from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'

/** A DATA frame with 255 bytes of padding and no content. It uses 256 bytes of the window. */
const PADDING = data(1, Buffer.from([255, ...Array<number>(255).fill(0)]), Flag.PADDED)
const POST = headers(1, request('POST'), 0)

/** Returns the bytes by which the server has widened a window. @param streamId 0 for the connection */
function granted(client: RawClient, streamId: number): number {
  return client.of(FrameType.WINDOW_UPDATE, streamId).reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0)
}

describe('padding (RFC 9113 §6.1)', () => {
  it('is returned to the window with the body', async () => {
    const { port } = await serveEngines((exchange) => {
      exchange.body.consume({ data: () => {}, end: () => exchange.respond(200, [], null), error: () => {} })
    })
    const client = await RawClient.connect(port)
    client.send(POST)
    for (let sent = 0; sent < 512; sent += 128) {
      client.send(...Array<Buffer>(128).fill(PADDING))
      await client.ping()
    }
    expect(granted(client, 1)).toBeGreaterThanOrEqual(512 * 256 - 65_535)
    client.send(data(1, '', Flag.END_STREAM))
    await expect.poll(() => client.outcome(1)).toBe('status 200')
  })

  it.each([
    [254, undefined],
    [255, 'connection FLOW_CONTROL_ERROR'],
  ])('counts toward the window: after 300 unread bytes, %i padded frames cause %s', async (count, outcome) => {
    const { port } = await serveEngines(() => {}, { maxBufferedBodyBytes: 100 })
    const client = await RawClient.connect(port)
    client.send(POST, data(1, Buffer.alloc(300)), ...Array<Buffer>(count).fill(PADDING))
    await client.ping()
    expect(client.outcome(1)).toBe(outcome)
  })
})

describe('content on a refused stream (RFC 9113 §6.9)', () => {
  it("is returned to the connection's window", async () => {
    const { port } = await serveEngines(() => {}, { maxConcurrentStreams: 1 })
    const client = await RawClient.connect(port)
    const announced = granted(client, 0)
    client.send(POST, headers(3, request('POST'), 0))
    await expect.poll(() => client.outcome(3)).toBe('stream REFUSED_STREAM')
    for (let sent = 0; sent < 128; sent += 16) {
      client.send(...Array<Buffer>(16).fill(data(3, Buffer.alloc(16_384))))
      await client.ping()
    }
    expect(granted(client, 0) - announced).toBeGreaterThanOrEqual(1.5 * 2 ** 20)
    expect(client.goaway).toBeUndefined()
  })
})
