import { describe, expect, it } from 'vitest'
import { serveEngines } from '../serve-engines.ts'
import { Flag, FrameType, data, frame, rstStream } from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'
import { serveEcho } from './serve-echo.ts'

const POST = headers(1, request('POST'), 0)
/** A PING on a stream, which is a connection error. */
const WRONG = frame(FrameType.PING, 0, 1, '12345678')

describe('a GOAWAY frame with an error (RFC 9113 §6.8)', () => {
  it.each<[opened: string, sent: Buffer[], last: number]>([
    ['no stream', [], 0],
    ['a stream', [POST], 1],
    ['streams with gaps', [POST, headers(7, request())], 7],
    ['a stream that was reset', [POST, headers(3, request()), rstStream(3)], 3],
    ['a stream that was malformed', [POST, headers(3, request('GET', 'no-slash'))], 3],
  ])('names the last stream after the client opened %s', async (_opened, sent, last) => {
    const { client } = await serveEcho()
    client.send(...sent, WRONG)
    await expect.poll(() => client.goaway).toBe('PROTOCOL_ERROR')
    expect(client.lastStreamId).toBe(last)
  })

  it('is the last frame', async () => {
    const { client } = await serveEcho()
    client.send(POST, WRONG, data(1, 'x', Flag.END_STREAM), frame(FrameType.PING, 0, 0, '12345678'))
    await expect.poll(() => client.isClosed).toBe(true)
    expect(client.frames.at(-1)?.type).toBe(FrameType.GOAWAY)
    expect(client.of(FrameType.GOAWAY)).toHaveLength(1)
  })
})

describe('a RST_STREAM frame (RFC 9113 §5.4.2)', () => {
  it.each<[what: string, sent: Buffer[]]>([
    ['a request without a response yet', [headers(1, request()), rstStream(1)]],
    ['an incomplete request', [POST, data(1, 'x'), rstStream(1)]],
    ['a stream that is already reset', [POST, rstStream(1), rstStream(1)]],
  ])('is not answered with RST_STREAM for %s', async (_what, sent) => {
    const { port } = await serveEngines((exchange) => {
      if (exchange.target === '/next') exchange.respond(200, [], null)
    })
    const client = await RawClient.connect(port)
    client.send(...sent, headers(3, request('GET', '/next')))
    await expect.poll(() => client.outcome(3)).toBe('status 200')
    expect(client.of(FrameType.RST_STREAM)).toEqual([])
  })

  it('is the last frame of its stream', async () => {
    const { port } = await serveEngines((exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from('half'))
      exchange.abort()
      exchange.write(Buffer.from('more'))
      exchange.end(['x-t', '1'])
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0), data(1, 'x'), data(1, '', Flag.END_STREAM))
    await client.ping()
    const types = client.frames.filter(({ streamId }) => streamId === 1).map(({ type }) => type)
    expect(types.indexOf(FrameType.RST_STREAM)).toBe(types.length - 1)
  })
})
