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
/** Frames that make up each response. */
const FRAMES = 3
/** Windows of streams that let everything through. */
const WIDE = [Setting.INITIAL_WINDOW_SIZE, 2 ** 20] as const

/** A request whose response is a few frames long. @param priority Value of the field, none without */
function get(id: number, priority?: string): Buffer {
  return headers(id, request('GET', '/', ...(priority === undefined ? [] : [['priority', priority] as const])))
}

/** A request whose response has a field of its own. */
function getAs(id: number, priority: string, said?: string, path = '/'): Buffer {
  const field = said === undefined ? [] : [['priority', said] as const]
  return headers(id, request('GET', `${path}?${encodeURIComponent(priority)}`, ...field))
}

/** Connects, and has used up the window of the connection on stream 1. */
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

/** The streams of all frames of content that come when the window of the connection opens, in their order. */
async function order(client: RawClient, streams: number): Promise<number[]> {
  const before = client.of(FrameType.DATA).length
  client.send(windowUpdate(0, 2 ** 24))
  await expect.poll(() => client.of(FrameType.DATA).length - before).toBe(streams * FRAMES)
  return client
    .of(FrameType.DATA)
    .slice(before)
    .map(({ streamId }) => streamId)
}

describe('RFC 9218 §4, §10: of responses that wait for the window of the connection', () => {
  it.each<[what: string, sent: Buffer[], expected: number[]]>([
    ['the more urgent ones go first', [get(3, 'u=5'), get(5), get(7, 'u=0')], [7, 7, 7, 5, 5, 5, 3, 3, 3]],
    ['one of the same urgency follows the other', [get(5, 'u=2'), get(7, 'u=2')], [5, 5, 5, 7, 7, 7]],
    ['incremental ones share', [get(3, 'u=2, i'), get(5, 'i, u=2')], [3, 5, 3, 5, 3, 5]],
    ['incremental ones share with others', [get(3, 'u=1'), get(5, 'u=1, i')], [5, 3, 5, 3, 5, 3]],
    ['those share whose client says nothing', [get(3), get(5)], [3, 5, 3, 5, 3, 5]],
    ['those do not whose client says something', [get(3, 'u=7'), get(5), get(7)], [5, 5, 5, 7, 7, 7, 3, 3, 3]],
    ['a field that is none is the default', [get(3, 'u=1,,'), get(5, 'u=2')], [5, 5, 5, 3, 3, 3]],
  ])('%s', async (_what, sent, expected) => {
    const client = await connectBlocked()
    client.send(...sent)
    await client.ping()
    expect(await order(client, expected.length / FRAMES)).toEqual(expected)
  })

  it('one that is blocked by its own window keeps nobody waiting, however urgent', async () => {
    const client = await connectBlocked([[Setting.INITIAL_WINDOW_SIZE, FRAME]])
    client.send(get(3, 'u=0'), get(5, 'u=7'), windowUpdate(5, 2 ** 20))
    await client.ping()
    client.send(windowUpdate(0, 2 ** 24))
    await expect.poll(() => client.hasEnded(5)).toBe(true)
    expect([client.body(3).length, client.hasEnded(3)]).toEqual([FRAME, false])
    client.send(windowUpdate(3, 2 ** 20))
    await expect.poll(() => client.hasEnded(3)).toBe(true)
  })

  it('one that was reset keeps nobody waiting', async () => {
    const client = await connectBlocked()
    client.send(get(3, 'u=0'), get(5), rstStream(3))
    await client.ping()
    expect(await order(client, 1)).toEqual([5, 5, 5])
  })
})

describe('RFC 9218 §8: the field of a response', () => {
  it.each<[what: string, sent: Buffer[], expected: number[]]>([
    ['counts more than that of the request', [get(3, 'u=2'), getAs(5, 'u=1', 'u=7')], [5, 5, 5, 3, 3, 3]],
    ['of one that is given in parts, too', [get(3, 'u=2'), getAs(5, 'u=1', 'u=7', '/parts')], [5, 5, 5, 3, 3, 3]],
    ['counts where the client says nothing', [get(3), getAs(5, 'u=0')], [5, 5, 5, 3, 3, 3]],
    ['changes nothing of what it does not say', [get(3, 'u=2'), getAs(5, 'i=?0', 'u=1, i')], [5, 5, 5, 3, 3, 3]],
    ['that cannot be read changes nothing', [get(3, 'u=2'), getAs(5, 'u=7,,', 'u=1')], [5, 5, 5, 3, 3, 3]],
    [
      'counts less than a later PRIORITY_UPDATE',
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

describe('RFC 9218 §7.1: PRIORITY_UPDATE', () => {
  it.each<[what: string, sent: Buffer[], expected: number[]]>([
    ['of a stream that waits', [get(3), get(5), priorityUpdate(5, 'u=0')], [5, 5, 5, 3, 3, 3]],
    ['that comes before the request', [priorityUpdate(5, 'u=0'), get(3), get(5)], [5, 5, 5, 3, 3, 3]],
    ['counts more than the field', [priorityUpdate(3, 'u=6'), get(3, 'u=0'), get(5)], [5, 5, 5, 3, 3, 3]],
    ['the last one counts', [priorityUpdate(5, 'u=7'), priorityUpdate(5, 'u=1'), get(3), get(5)], [5, 5, 5, 3, 3, 3]],
    ['that cannot be read is the default', [get(3, 'u=1'), get(5, 'u=2'), priorityUpdate(3, 'ä')], [5, 5, 5, 3, 3, 3]],
    ['without a value, too', [get(3, 'u=1'), get(5, 'u=2'), priorityUpdate(3, '')], [5, 5, 5, 3, 3, 3]],
    ['of a stream that has ended', [priorityUpdate(1, 'u=0'), get(3)], [3, 3, 3]],
    ['with the reserved bit', [get(3), get(5), priorityUpdate(2 ** 31 + 5, 'u=0')], [5, 5, 5, 3, 3, 3]],
  ])('%s', async (_what, sent, expected) => {
    const client = await connectBlocked()
    client.send(...sent)
    await client.ping()
    expect(await order(client, expected.length / FRAMES)).toEqual(expected)
  })

  it('changes what is half sent', async () => {
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
    ['of the connection', priorityUpdate(0, 'i'), 'connection PROTOCOL_ERROR'],
    ['of a stream that only a server could open', priorityUpdate(2, 'i'), 'connection PROTOCOL_ERROR'],
    [
      'within a field block',
      Buffer.concat([frame(FrameType.HEADERS, Flag.END_STREAM, 1, request()), priorityUpdate(1, 'i')]),
      'connection PROTOCOL_ERROR',
    ],
    [
      'of more streams than may be open',
      Buffer.concat(Array.from({ length: 101 }, (_, n) => priorityUpdate(1 + 2 * n, 'u=1'))),
      'connection PROTOCOL_ERROR',
    ],
  ])('%s is an error', async (_what, sent, outcome) => {
    const { port } = await serveEngines((exchange) => exchange.respond(200, [], 'x'))
    const client = await RawClient.connect(port)
    await client.ping()
    client.send(sent)
    await expect.poll(() => client.outcome(1)).toBe(outcome)
    await expect.poll(() => client.isClosed).toBe(true)
  })

  it('counts streams that are open among those that may be', async () => {
    const { port } = await serveEngines(() => {}, { maxConcurrentStreams: 3 })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST'), 0), priorityUpdate(3, 'i'), priorityUpdate(5, 'i'), data(1, 'x'))
    await client.ping()
    expect(client.outcome(1)).toBeUndefined()
    client.send(priorityUpdate(7, 'i'))
    await expect.poll(() => client.outcome(1)).toBe('connection PROTOCOL_ERROR')
  })
})

describe('RFC 9218 §2.1: SETTINGS_NO_RFC7540_PRIORITIES', () => {
  it('is announced', async () => {
    const { port } = await serveEngines(() => {})
    expect(serverSettings(await RawClient.connect(port)).get(Setting.NO_RFC7540_PRIORITIES)).toBe(1)
  })

  it.each([
    [0, undefined],
    [1, undefined],
    [2, 'PROTOCOL_ERROR'],
  ])('of %i by the client ends with %s', async (value, error) => {
    const { port } = await serveEngines(() => {})
    const client = await RawClient.connect(port)
    client.send(settings([Setting.NO_RFC7540_PRIORITIES, value]))
    await client.ping()
    expect(client.goaway).toBe(error)
  })
})
