import { describe, expect, it } from 'vitest'
import { serveEngines } from '../serve-engines.ts'
import {
  Flag,
  FrameType,
  Setting,
  data,
  frame,
  priorityUpdate,
  rstStream,
  settings,
  uint32,
  windowUpdate,
} from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request, serverSettings } from './raw-client.ts'

const WINDOW = 65_535
const FRAME = 16_384
/** Number of DATA frames in each response. */
const FRAMES = 3
/** Setting with a stream window above the size of each response. */
const WIDE = [Setting.INITIAL_WINDOW_SIZE, 2 ** 20] as const

/** Encodes a request. @param priority Value of its `priority` field; no field by default */
function get(id: number, priority?: string): Buffer {
  return headers(id, request('GET', '/', ...(priority === undefined ? [] : [['priority', priority] as const])))
}

/** Encodes a request whose response has a `priority` field. @param requested Value of the field in the request */
function getAs(id: number, priority: string, requested?: string, path = '/'): Buffer {
  const field = requested === undefined ? [] : [['priority', requested] as const]
  return headers(id, request('GET', `${path}?${encodeURIComponent(priority)}`, ...field))
}

/** Connects, and uses up the connection's window on stream 1. */
async function connectBlocked(entries: readonly (readonly [id: number, value: number])[] = [WIDE]): Promise<RawClient> {
  const { port } = await serveEngines((exchange) => {
    const [path, priority] = exchange.target.split('?')
    const fields = priority === undefined ? [] : ['priority', decodeURIComponent(priority)]
    const body = Buffer.alloc(path === '/first' ? WINDOW : FRAMES * FRAME)
    if (path !== '/parts') return exchange.respond(200, fields, body)
    exchange.start(200, [...fields, 'content-length', String(body.length)])
    exchange.write(body)
    exchange.end()
  })
  const client = await RawClient.connect(port, { settings: [...entries] })
  client.send(headers(1, request('GET', '/first')), windowUpdate(1, 2 ** 20))
  await expect.poll(() => client.hasEnded(1)).toBe(true)
  return client
}

/** Opens the connection's window, and returns the stream of each received DATA frame, in order. */
async function order(client: RawClient, streams: number): Promise<number[]> {
  const before = client.of(FrameType.DATA).length
  client.send(windowUpdate(0, 2 ** 24))
  await expect.poll(() => client.of(FrameType.DATA).length - before).toBe(streams * FRAMES)
  return client
    .of(FrameType.DATA)
    .slice(before)
    .map(({ streamId }) => streamId)
}

describe('a connection with waiting responses (RFC 9218 §4, §10)', () => {
  it.each<[what: string, sent: Buffer[], expected: number[]]>([
    ['more urgent responses first', [get(3, 'u=5'), get(5), get(7, 'u=0')], [7, 7, 7, 5, 5, 5, 3, 3, 3]],
    ['responses with the same urgency one after the other', [get(5, 'u=2'), get(7, 'u=2')], [5, 5, 5, 7, 7, 7]],
    ['incremental responses in turns', [get(3, 'u=2, i'), get(5, 'i, u=2')], [3, 5, 3, 5, 3, 5]],
    ['incremental and sequential responses in turns', [get(3, 'u=1'), get(5, 'u=1, i')], [5, 3, 5, 3, 5, 3]],
    ['responses in turns if the client sends no priority', [get(3), get(5)], [3, 5, 3, 5, 3, 5]],
    [
      'responses without a priority in sequence once the client sends one',
      [get(3, 'u=7'), get(5), get(7)],
      [5, 5, 5, 7, 7, 7, 3, 3, 3],
    ],
    [
      'a response with an invalid priority at the default urgency',
      [get(3, 'u=1,,'), get(5, 'u=2')],
      [5, 5, 5, 3, 3, 3],
    ],
  ])('sends %s', async (_what, sent, expected) => {
    const client = await connectBlocked()
    client.send(...sent)
    await client.ping()
    expect(await order(client, expected.length / FRAMES)).toEqual(expected)
  })

  it('sends other responses while an urgent one is waiting for its own window', async () => {
    const client = await connectBlocked([[Setting.INITIAL_WINDOW_SIZE, FRAME]])
    client.send(get(3, 'u=0'), get(5, 'u=7'), windowUpdate(5, 2 ** 20))
    await client.ping()
    client.send(windowUpdate(0, 2 ** 24))
    await expect.poll(() => client.hasEnded(5)).toBe(true)
    expect([client.body(3).length, client.hasEnded(3)]).toEqual([FRAME, false])
    client.send(windowUpdate(3, 2 ** 20))
    await expect.poll(() => client.hasEnded(3)).toBe(true)
  })

  it('skips a response that was reset', async () => {
    const client = await connectBlocked()
    client.send(get(3, 'u=0'), get(5), rstStream(3))
    await client.ping()
    expect(await order(client, 1)).toEqual([5, 5, 5])
  })
})

describe('the priority field of a response (RFC 9218 §8)', () => {
  it.each<[what: string, sent: Buffer[], expected: number[]]>([
    ["overrides the request's field", [get(3, 'u=2'), getAs(5, 'u=1', 'u=7')], [5, 5, 5, 3, 3, 3]],
    [
      "overrides the request's field for a streamed response",
      [get(3, 'u=2'), getAs(5, 'u=1', 'u=7', '/parts')],
      [5, 5, 5, 3, 3, 3],
    ],
    ['applies if the client sends no priority', [get(3), getAs(5, 'u=0')], [5, 5, 5, 3, 3, 3]],
    ['keeps the parameters that it omits', [get(3, 'u=2'), getAs(5, 'i=?0', 'u=1, i')], [5, 5, 5, 3, 3, 3]],
    ['has no effect if it is invalid', [get(3, 'u=2'), getAs(5, 'u=7,,', 'u=1')], [5, 5, 5, 3, 3, 3]],
    [
      'is overridden by a later PRIORITY_UPDATE',
      [get(3), getAs(5, 'u=0'), priorityUpdate(5, 'u=7')],
      [3, 3, 3, 5, 5, 5],
    ],
  ])('%s', async (_what, sent, expected) => {
    const client = await connectBlocked()
    client.send(...sent)
    await client.ping()
    expect(await order(client, expected.length / FRAMES)).toEqual(expected)
  })
})

describe('a PRIORITY_UPDATE frame (RFC 9218 §7.1)', () => {
  it.each<[what: string, sent: Buffer[], expected: number[]]>([
    ['reorders a waiting stream', [get(3), get(5), priorityUpdate(5, 'u=0')], [5, 5, 5, 3, 3, 3]],
    ['applies to a later request', [priorityUpdate(5, 'u=0'), get(3), get(5)], [5, 5, 5, 3, 3, 3]],
    ["overrides a later request's field", [priorityUpdate(3, 'u=6'), get(3, 'u=0'), get(5)], [5, 5, 5, 3, 3, 3]],
    [
      'overrides an earlier PRIORITY_UPDATE',
      [priorityUpdate(5, 'u=7'), priorityUpdate(5, 'u=1'), get(3), get(5)],
      [5, 5, 5, 3, 3, 3],
    ],
    [
      'sets the default if its value is invalid',
      [get(3, 'u=1'), get(5, 'u=2'), priorityUpdate(3, 'ä')],
      [5, 5, 5, 3, 3, 3],
    ],
    [
      'sets the default if its value is empty',
      [get(3, 'u=1'), get(5, 'u=2'), priorityUpdate(3, '')],
      [5, 5, 5, 3, 3, 3],
    ],
    ['has no effect on a stream that has ended', [priorityUpdate(1, 'u=0'), get(3)], [3, 3, 3]],
    ['ignores the reserved bit', [get(3), get(5), priorityUpdate(2 ** 31 + 5, 'u=0')], [5, 5, 5, 3, 3, 3]],
  ])('%s', async (_what, sent, expected) => {
    const client = await connectBlocked()
    client.send(...sent)
    await client.ping()
    expect(await order(client, expected.length / FRAMES)).toEqual(expected)
  })

  it('reorders a partially sent response', async () => {
    const client = await connectBlocked()
    client.send(get(3), get(5), windowUpdate(0, 2 * FRAME))
    await expect.poll(() => client.body(3).length + client.body(5).length).toBe(2 * FRAME)
    const sent = client.of(FrameType.DATA).length
    client.send(priorityUpdate(3, 'u=7'), priorityUpdate(5, 'u=4'), windowUpdate(0, 2 ** 24))
    await expect.poll(() => client.hasEnded(3)).toBe(true)
    const rest = client.of(FrameType.DATA).slice(sent)
    expect(rest.map(({ streamId }) => streamId)).toEqual([5, 5, 3, 3])
  })

  it.each<[what: string, sent: Buffer, outcome: string]>([
    ['on a stream', frame(FrameType.PRIORITY_UPDATE, 0, 1, uint32(1)), 'connection PROTOCOL_ERROR'],
    ['of 3 bytes', frame(FrameType.PRIORITY_UPDATE, 0, 0, 'abc'), 'connection FRAME_SIZE_ERROR'],
    ['for stream 0', priorityUpdate(0, 'i'), 'connection PROTOCOL_ERROR'],
    ['for a server-initiated stream', priorityUpdate(2, 'i'), 'connection PROTOCOL_ERROR'],
    [
      'within a field block',
      Buffer.concat([frame(FrameType.HEADERS, Flag.END_STREAM, 1, request()), priorityUpdate(1, 'i')]),
      'connection PROTOCOL_ERROR',
    ],
    [
      'for more streams than may be open',
      Buffer.concat(Array.from({ length: 101 }, (_, n) => priorityUpdate(1 + 2 * n, 'u=1'))),
      'connection PROTOCOL_ERROR',
    ],
  ])('closes the connection if it is %s', async (_what, sent, outcome) => {
    const { port } = await serveEngines((exchange) => exchange.respond(200, [], 'x'))
    const client = await RawClient.connect(port)
    await client.ping()
    client.send(sent)
    await expect.poll(() => client.outcome(1)).toBe(outcome)
    await expect.poll(() => client.isClosed).toBe(true)
  })

  it('counts open streams toward maxConcurrentStreams', async () => {
    const { port } = await serveEngines(() => {}, { maxConcurrentStreams: 3 })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0), priorityUpdate(3, 'i'), priorityUpdate(5, 'i'), data(1, 'x'))
    await client.ping()
    expect(client.outcome(1)).toBeUndefined()
    client.send(priorityUpdate(7, 'i'))
    await expect.poll(() => client.outcome(1)).toBe('connection PROTOCOL_ERROR')
  })
})

describe('SETTINGS_NO_RFC7540_PRIORITIES (RFC 9218 §2.1)', () => {
  it('is announced with the value 1', async () => {
    const { port } = await serveEngines(() => {})
    expect(serverSettings(await RawClient.connect(port)).get(Setting.NO_RFC7540_PRIORITIES)).toBe(1)
  })

  it.each([
    [undefined, 0],
    [undefined, 1],
    ['PROTOCOL_ERROR', 2],
  ])('causes the GOAWAY code $0 for the value $1', async (error, value) => {
    const { port } = await serveEngines(() => {})
    const client = await RawClient.connect(port)
    client.send(settings([Setting.NO_RFC7540_PRIORITIES, value]))
    await client.ping()
    expect(client.goaway).toBe(error)
  })
})
