import { describe, expect, it } from 'vitest'
import { Flag, FrameType, Setting, data, rstStream, settings } from './frames.ts'
import { block, headers, indexed, indexedLiteral } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'
import { serveEcho } from './serve-echo.ts'
import { serveEngines } from '../serve-engines.ts'

/** Index of the latest entry in the dynamic table. */
const LATEST = 62
const INSERTED = indexedLiteral('x-kept', 'yes')
const WITH_LATEST = Buffer.concat([request(), indexed(LATEST)])
const POST = headers(1, request('POST'), 0)

describe("the client's dynamic table (RFC 9113 §4.3)", () => {
  it.each<[what: string, sent: Buffer[], resets: string | undefined]>([
    ['is malformed', [headers(1, Buffer.concat([request('GET', 'no-slash'), INSERTED]))], 'PROTOCOL_ERROR'],
    [
      'is answered by the engine',
      [headers(1, Buffer.concat([request('GET', '/', ['expect', 'tea']), INSERTED]))],
      undefined,
    ],
    ['has trailers', [POST, headers(1, INSERTED)], undefined],
    ['has trailers that are malformed', [POST, headers(1, INSERTED, 0)], 'PROTOCOL_ERROR'],
    [
      'has trailers after the server reset it',
      [POST, data(1, 'x', Flag.END_STREAM), headers(3, block([':path', '/']), 0), headers(3, INSERTED)],
      undefined,
    ],
  ])('is updated by a field block whose request %s', async (_what, sent, resets) => {
    const { client, exchanges } = await serveEcho()
    client.send(...sent, headers(5, WITH_LATEST))
    await expect.poll(() => client.outcome(5)).toBe('status 200')
    expect(exchanges.at(-1)?.headers.get('x-kept')).toBe('yes')
    expect(client.reset(1)).toBe(resets)
  })

  it('is updated by a refused request', async () => {
    const { client, exchanges } = await serveEcho({ maxConcurrentStreams: 1 })
    client.send(POST, headers(3, Buffer.concat([request(), INSERTED])), rstStream(1), headers(5, WITH_LATEST))
    await expect.poll(() => client.outcome(5)).toBe('status 200')
    expect(client.outcome(3)).toBe('stream REFUSED_STREAM')
    expect(exchanges.at(-1)?.headers.get('x-kept')).toBe('yes')
  })
})

describe("the server's dynamic table (RFC 9113 §4.3.1)", () => {
  it.each<[what: string, sent: Buffer[], expected: RegExp]>([
    ['no update without a change', [], /^88/],
    ['no update for a larger maximum', [settings([Setting.HEADER_TABLE_SIZE, 8192])], /^88/],
    ['an update for a smaller maximum', [settings([Setting.HEADER_TABLE_SIZE, 100])], /^3f4588/],
    ['an update for a maximum of 0', [settings([Setting.HEADER_TABLE_SIZE, 0])], /^2088/],
    [
      'both updates for 0 and a larger maximum in one frame',
      [settings([Setting.HEADER_TABLE_SIZE, 0], [Setting.HEADER_TABLE_SIZE, 4096])],
      /^203fe11f88/,
    ],
    [
      'both updates for 0 and a larger maximum in two frames',
      [settings([Setting.HEADER_TABLE_SIZE, 0]), settings([Setting.HEADER_TABLE_SIZE, 200])],
      /^203fa90188/,
    ],
  ])('signals %s at the start of the next block', async (_what, sent, expected) => {
    const { port } = await serveEngines((exchange) => exchange.respond(200, ['x-a', 'value'], null))
    const client = await RawClient.connect(port, { settings: [[Setting.HEADER_TABLE_SIZE, 4096]] })
    client.send(headers(1, request()))
    await expect.poll(() => client.hasEnded(1)).toBe(true)
    client.send(...sent, headers(3, request()))
    await expect.poll(() => client.hasEnded(3)).toBe(true)
    client.send(headers(5, request()))
    await expect.poll(() => client.hasEnded(5)).toBe(true)
    const [, second, third] = client.of(FrameType.HEADERS).map(({ payload }) => payload.toString('hex'))
    expect(second).toMatch(expected)
    // The server must signal a change only once.
    expect(third).toMatch(/^88/)
  })
})
