import { encodeFields, H3Frame, h3Frame, h3RequestFields, H3StreamType, varint, type H3Client } from '@fw/testing/h3'
import { settle, type TestField } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { bodyOf, serveHttp3, type Http3Server } from '../../test/serve-http3.ts'

const SETTINGS = h3Frame(H3Frame.SETTINGS)

function head(client: H3Client, ...more: TestField[]): Buffer {
  return h3Frame(
    H3Frame.HEADERS,
    encodeFields([...h3RequestFields({ path: '/x' }, 'POST', client.connection), ...more]),
  )
}

/** Starts a server that echoes bodies and ignores errors from unreadable ones. */
function serve(limits: Parameters<typeof serveHttp3>[1] = {}): Promise<Http3Server> {
  return serveHttp3((exchange) => {
    bodyOf(exchange).then(
      ({ body }) => exchange.respond(200, [], body),
      () => {},
    )
  }, limits)
}

/** Yields a body whose end arrives after the handler has started. */
async function* lateEnd(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('abc')
  await settle(20)
}

describe('a request that violates the protocol of its connection', () => {
  it.each<[string, number, (client: H3Client) => Buffer]>([
    ['DATA before the head', 0x105, () => h3Frame(H3Frame.DATA, 'a')],
    ['SETTINGS', 0x105, () => SETTINGS],
    ['an HTTP/2 frame after the head', 0x105, (client) => Buffer.concat([head(client), h3Frame(0x08, 'abcd')])],
    ['a truncated frame', 0x106, (client) => head(client).subarray(0, -3)],
    ['a section without a prefix', 0x200, () => h3Frame(H3Frame.HEADERS)],
    ['a reference to a dynamic table', 0x200, () => h3Frame(H3Frame.HEADERS, Buffer.from('02008080', 'hex'))],
    ['truncated content', 0x106, (client) => Buffer.concat([head(client), h3Frame(H3Frame.DATA, 'a', 2)])],
  ])('closes the connection for %s with code %i', async (_what, code, wire) => {
    await using server = await serve()
    const client = await server.connect()
    const stream = await client.connection.openStream()
    await stream.send(wire(client), { end: true })
    expect(await client.connection.closeWithin(15_000)).toEqual({ by: 'server', isApplication: true, code })
  })
})

describe('a unidirectional stream', () => {
  it.each<[string, number, (client: H3Client) => Promise<unknown>]>([
    ['a second control stream', 0x103, ({ connection }) => connection.openUnidirectional(H3StreamType.CONTROL)],
    ['a push', 0x103, ({ connection }) => connection.openUnidirectional(H3StreamType.PUSH)],
    [
      'an insertion into the dynamic table',
      0x201,
      ({ connection }) => connection.openUnidirectional(H3StreamType.QPACK_ENCODER, Buffer.from('c00161', 'hex')),
    ],
    [
      'an acknowledgment without a dynamic table',
      0x202,
      ({ connection }) => connection.openUnidirectional(H3StreamType.QPACK_DECODER, Buffer.from('80', 'hex')),
    ],
    [
      'the end of a critical stream',
      0x104,
      async ({ connection }) => {
        const stream = await connection.openUnidirectional(H3StreamType.QPACK_ENCODER)
        await stream.send('', { end: true })
      },
    ],
    [
      'the reset of a critical stream',
      0x104,
      async ({ connection }) => {
        const stream = await connection.openUnidirectional(H3StreamType.QPACK_DECODER)
        // Wait until the stream type has arrived.
        await settle(20)
        stream.reset(0x100)
      },
    ],
  ])('closes the connection for %s with code %i', async (_what, code, act) => {
    await using server = await serve()
    const client = await server.connect()
    await act(client)
    expect(await client.connection.closeWithin(15_000)).toEqual({ by: 'server', isApplication: true, code })
  })

  it('closes the connection if it is a control stream without SETTINGS', async () => {
    await using server = await serve()
    const { connection } = await server.connect({ withoutControlStream: true })
    await connection.openUnidirectional(H3StreamType.CONTROL, h3Frame(H3Frame.GOAWAY, varint(0)))
    expect(await connection.closeWithin(15_000)).toMatchObject({ by: 'server', code: 0x10a })
  })

  it('keeps the connection open if its type is unknown, even with many bytes on it', async () => {
    await using server = await serve()
    const client = await server.connect()
    const stream = await client.connection.openUnidirectional(0x21)
    await stream.send(Buffer.alloc(500_000), { end: true })
    expect(await (await client.request({ path: '/', body: 'fine' })).text()).toBe('fine')
  })
})

it('survives a client that does not permit the server to open streams', async () => {
  await using server = await serve()
  const odd = await server.connect({ serverStreams: 0 })
  await odd.request({ path: '/', body: 'fine' }).catch(() => {})
  const client = await server.connect()
  expect(await (await client.request({ path: '/', body: 'fine' })).text()).toBe('fine')
})

it('joins the content of one-byte frames, both for a waiting and for a running handler', async () => {
  const pieces: number[] = []
  await using server = await serveHttp3((exchange) => {
    setTimeout(() => {
      exchange.body.consume({
        data: (chunk) => void pieces.push(chunk.byteLength),
        end: () => exchange.respond(204, [], null),
        error: () => {},
      })
    }, 50)
  })
  const client = await server.connect()
  const stream = await client.connection.openStream()
  const frames = Buffer.concat(Array.from({ length: 10_000 }, () => h3Frame(H3Frame.DATA, 'a')))
  await stream.send(Buffer.concat([head(client), frames]), { end: true })
  await stream.readAll()
  expect(pieces.reduce((sum, length) => sum + length, 0)).toBe(10_000)
  expect(pieces.length).toBeLessThan(100)
})

it('sends a complete response to a client with windows of a few bytes', async () => {
  await using server = await serveHttp3((exchange) => exchange.respond(200, [], Buffer.alloc(20_000)))
  const client = await server.connect({ streamWindow: 100 })
  expect(await (await client.request({ path: '/' })).bytes()).toHaveLength(20_000)
})

describe('a malformed request', () => {
  it.each<[string, TestField[]]>([
    ['a connection-specific field', [['connection', 'close']]],
    ['a name in upper case', [['X-A', 'b']]],
    ['a line break in a value', [['x', 'a\r\nb: c']]],
    ['a repeated pseudo-header field', [[':path', '/']]],
    [
      'two Content-Length values',
      [
        ['content-length', '1'],
        ['content-length', '2'],
      ],
    ],
  ])('resets only its stream, and is reported once, for %s', async (_what, more) => {
    await using server = await serve()
    const client = await server.connect()
    const stream = await client.connection.openStream()
    await stream.send(head(client, ...more))
    await expect(stream.readAll()).rejects.toThrow('code 0x10e')
    expect(await stream.stopCode).toBe(0x10e)
    expect(server.refused).toEqual([
      {
        status: 0,
        reason: expect.stringMatching(/^Malformed request: /),
        protocol: 'HTTP/3.0',
        remoteAddress: '127.0.0.1',
        method: 'POST',
        target: '/x',
        bodyBytes: 0,
        durationMs: expect.any(Number),
      },
    ])
    expect(await (await client.request({ path: '/', body: 'fine' })).text()).toBe('fine')
  })

  it('resets its stream with H3_REQUEST_INCOMPLETE if it ends before its head', async () => {
    await using server = await serve()
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    await stream.send(h3Frame(0x21, 'grease'), { end: true })
    await expect(stream.readAll()).rejects.toThrow('code 0x10d')
    expect(server.refused).toHaveLength(1)
  })

  it.each([
    ['less', '5'],
    ['more', '3'],
  ])('resets its stream for %s content than announced, even while a handler is reading it', async (_what, length) => {
    const errors: unknown[] = []
    await using server = await serveHttp3((exchange) => {
      bodyOf(exchange).catch((error: unknown) => errors.push(error))
    })
    const client = await server.connect()
    const stream = await client.connection.openStream()
    await stream.send(head(client, ['content-length', length]))
    await settle(20)
    await stream.send(h3Frame(H3Frame.DATA, 'abcd'), { end: true })
    await expect(stream.readAll()).rejects.toThrow('code 0x10e')
    expect(errors).toEqual([expect.objectContaining({ name: 'ProtocolError', status: 400 })])
    // A handler received the request, so the engine does not report it.
    expect(server.refused).toEqual([])
  })
})

describe('a request that exceeds a limit', () => {
  it.each<[string, number, object, TestField[]]>([
    ['has too many fields', 431, { maxFields: 5 }, Array.from({ length: 6 }, (_, i): TestField => [`x-${i}`, 'y'])],
    ['has a head that is too large', 431, {}, [['x', 'y'.repeat(17_000)]]],
    ['has a head that is far too large', 431, {}, [['x', 'y'.repeat(200_000)]]],
    ['has a target that is too long', 414, { maxRequestLineBytes: 1 }, []],
  ])('receives a response and is reported once if it %s', async (_what, status, limits, more) => {
    await using server = await serve(limits)
    const client = await server.connect()
    const response = await client.request({ path: '/x', method: 'GET', headers: more })
    expect([response.status, await response.text()]).toEqual([status, ''])
    expect(server.refused).toEqual([expect.objectContaining({ status })])
    expect(client.connection.isOver).toBe(false)
  })

  it('fails the body on too many trailers, and the handler can still respond', async () => {
    await using server = await serveHttp3(
      (exchange) => {
        bodyOf(exchange).catch((error: { status: number }) => exchange.respond(error.status, [], null))
      },
      { maxTrailerFields: 1 },
    )
    const client = await server.connect()
    const response = await client.request({
      path: '/',
      body: lateEnd(),
      trailers: [
        ['x', '1'],
        ['y', '2'],
      ],
    })
    expect(response.status).toBe(431)
    expect(server.refused).toEqual([])
  })

  it('closes the connection with H3_EXCESSIVE_LOAD after too many aborted streams', async () => {
    await using server = await serveHttp3(() => {}, { maxStreamResetBurst: 20, maxStreamResetsPerSecond: 1 })
    const client = await server.connect()
    for (let i = 0; i < 50 && !client.connection.isOver; i++) {
      const stream = await client.connection.openStream()
      await stream.send(head(client))
      stream.reset(0x10c)
      stream.stop(0x10c)
    }
    expect(await client.connection.closeWithin(15_000)).toMatchObject({ by: 'server', code: 0x107 })
  })
})
