import type { Exchange, Outcome } from '@fw/types'
import { settle, type TestField } from '@fw/testing'
import { encodeFields, H3Frame, h3Frame, h3RequestFields, type H3Connection, type RawStream } from '@fw/testing/h3'
import { describe, expect, it } from 'vitest'
import { bodyOf, outcomeOf, serveHttp3 } from '../../test/serve-http3.ts'
import type { Limits } from '../options/limits.ts'

const REQUEST_CANCELLED = 0x10c

/** Sends a request. Ends the request unless `end` is false. */
async function send(
  connection: H3Connection,
  options: { path?: string; body?: string; end?: boolean } = {},
): Promise<RawStream> {
  const { path = '/', body, end = true } = options
  const stream = await connection.openStream()
  const fields = h3RequestFields({ path }, body === undefined ? 'GET' : 'POST', connection)
  const frames = [h3Frame(H3Frame.HEADERS, encodeFields(fields))]
  if (body !== undefined) frames.push(h3Frame(H3Frame.DATA, body))
  await stream.send(Buffer.concat(frames), { end })
  return stream
}

/** Starts a server whose exchanges the test handles. */
async function serveToTest(): Promise<{
  server: Awaited<ReturnType<typeof serveHttp3>>
  next: () => Promise<Exchange>
}> {
  const waiting: Exchange[] = []
  let wake = Promise.withResolvers<void>()
  const server = await serveHttp3((exchange) => {
    waiting.push(exchange)
    wake.resolve()
  })
  return {
    server,
    next: async () => {
      for (let exchange; ;) {
        exchange = waiting.shift()
        if (exchange !== undefined) return exchange
        wake = Promise.withResolvers()
        await wake.promise
      }
    },
  }
}

const aborted = { status: 0, bodyBytes: 0, aborted: true }

describe('a client that aborts', () => {
  it.each<[string, (stream: RawStream) => void]>([
    ['STOP_SENDING alone', (stream) => stream.stop(REQUEST_CANCELLED)],
    [
      'STOP_SENDING and RESET_STREAM',
      (stream) => {
        stream.stop(REQUEST_CANCELLED)
        stream.reset(REQUEST_CANCELLED)
      },
    ],
  ])('ends the exchange before the response by sending %s', async (_how, giveUp) => {
    const { server, next } = await serveToTest()
    await using _server = server
    const { connection } = await server.connect()
    const stream = await send(connection)
    const exchange = await next()
    const outcome = outcomeOf(exchange)
    giveUp(stream)
    expect(await outcome).toEqual(aborted)
    // A late response has no effect.
    expect(() => exchange.respond(200, [], 'late')).not.toThrow()
    expect(exchange.isOpen).toBe(false)
  })

  it.each<[string, (stream: RawStream) => void]>([
    ['STOP_SENDING', (stream) => stream.stop(REQUEST_CANCELLED)],
    ['RESET_STREAM', (stream) => stream.reset(REQUEST_CANCELLED)],
  ])('ends the exchange while the handler is reading the body by sending %s', async (_how, giveUp) => {
    const { server, next } = await serveToTest()
    await using _server = server
    const { connection } = await server.connect()
    const stream = await send(connection, { body: 'begun', end: false })
    const exchange = await next()
    const outcome = outcomeOf(exchange)
    const failure = bodyOf(exchange).catch((error: unknown) => error)
    giveUp(stream)
    expect(await failure).toMatchObject({ name: 'AbortError' })
    expect(await outcome).toEqual(aborted)
  })

  it('ends the exchange while the handler is not reading its large body', async () => {
    const { server, next } = await serveToTest()
    await using _server = server
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    const fields = h3RequestFields({ path: '/' }, 'POST', connection)
    await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(fields)))
    const exchange = await next()
    void stream.send(h3Frame(H3Frame.DATA, Buffer.alloc(1_000_000)))
    await settle(50)
    const outcome = outcomeOf(exchange)
    stream.reset(REQUEST_CANCELLED)
    expect(await outcome).toEqual(aborted)
    await expect(bodyOf(exchange)).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
  })

  it('ends the exchange during a large response', async () => {
    const { server, next } = await serveToTest()
    await using _server = server
    const client = await server.connect()
    const response = client.request({ path: '/' })
    const exchange = await next()
    const outcome = outcomeOf(exchange)
    exchange.respond(200, [], Buffer.alloc(1_000_000))
    ;(await response).abort()
    expect(await outcome).toEqual({ status: 200, bodyBytes: 1_000_000, aborted: true })
  })

  it.each<[string, (connection: H3Connection) => void]>([
    ['closing the connection', (connection) => connection.close()],
    ['disappearing', (connection) => connection.vanish()],
  ])('ends all its exchanges by %s', async (_how, leave) => {
    const ends: Promise<Outcome>[] = []
    await using server = await serveHttp3((exchange) => void ends.push(outcomeOf(exchange)))
    const { connection } = await server.connect({ idleTimeoutMs: 1000 })
    const first = send(connection, { path: '/1' })
    const second = send(connection, { path: '/2' })
    await Promise.all([first, second])
    await expect.poll(() => ends.length).toBe(2)
    leave(connection)
    expect(await Promise.all(ends)).toEqual([aborted, aborted])
  })

  it('receives the rest of the response after it stops sending', async () => {
    const { server, next } = await serveToTest()
    await using _server = server
    const { connection } = await server.connect({ streamWindow: 10_000 })
    const stream = await send(connection, { body: 'begun', end: false })
    const exchange = await next()
    exchange.respond(200, [], Buffer.alloc(100_000, 'x'))
    stream.reset(0x100)
    const wire = await stream.readAll()
    expect(wire.length).toBeGreaterThan(100_000)
    expect(stream.hasEnded).toBe(true)
  })

  it('does not affect the other requests on its connection', async () => {
    const { server, next } = await serveToTest()
    await using _server = server
    const client = await server.connect()
    const other = client.request({ path: '/' })
    const exchange = await next()
    const stream = await send(client.connection)
    const gone = outcomeOf(await next())
    stream.stop(REQUEST_CANCELLED)
    await gone
    exchange.respond(200, [], 'still here')
    expect(await (await other).text()).toBe('still here')
  })
})

describe('an exchange that fails', () => {
  it.each<[string, (exchange: Exchange) => void]>([
    ['on an abort before the head', (exchange) => exchange.abort(new Error('broken'))],
    [
      'on an abort within the body',
      (exchange) => {
        exchange.start(200, [])
        exchange.write(Buffer.from('begun'))
        exchange.abort(new Error('broken'))
      },
    ],
    [
      'on an end before the announced length',
      (exchange) => {
        exchange.start(200, ['content-length', '9'])
        exchange.write(Buffer.from('begun'))
        exchange.end()
      },
    ],
  ])('resets only its stream %s', async (_when, giveUp) => {
    const outcomes: Outcome[] = []
    await using server = await serveHttp3((exchange) => {
      if (exchange.target !== '/') return exchange.respond(200, [], 'fine')
      void outcomeOf(exchange).then((outcome) => outcomes.push(outcome))
      giveUp(exchange)
    })
    const client = await server.connect()
    const stream = await send(client.connection)
    await expect(stream.readAll()).rejects.toThrow('reset (code 0x102)')
    expect(outcomes).toEqual([expect.objectContaining({ aborted: true })])
    expect(await (await client.request({ path: '/fine' })).text()).toBe('fine')
  })

  it('stops receiving the request as well', async () => {
    const { server, next } = await serveToTest()
    await using _server = server
    const { connection } = await server.connect()
    const stream = await send(connection, { body: 'begun', end: false })
    const exchange = await next()
    const failure = bodyOf(exchange).catch((error: unknown) => error)
    exchange.abort()
    expect(await stream.stopCode).toBe(0x102)
    expect(await failure).toMatchObject({ name: 'AbortError' })
  })

  it('discards an unread body so that the client receives the early response', async () => {
    const { server, next } = await serveToTest()
    await using _server = server
    const client = await server.connect()
    const response = client.request({ path: '/', body: Buffer.alloc(3_000_000) })
    const exchange = await next()
    const outcome = outcomeOf(exchange)
    const failure = bodyOf(exchange).catch((error: unknown) => error)
    exchange.respond(413, [], 'too large')
    expect(await failure).toMatchObject({ name: 'AbortError' })
    expect(await outcome).toEqual({ status: 413, bodyBytes: 9, aborted: false })
    expect(await (await response).text()).toBe('too large')
  })

  it.each<[string, Partial<Limits>, TestField[], number]>([
    ['more bytes than the limit arrive', { lingerBytes: 100_000 }, [], 150_000],
    ['the client sends nothing more', { lingerStallTimeoutMs: 100 }, [], 0],
    ['the time limit expires', { lingerTimeoutMs: 100 }, [], 0],
    ['the client waits for a 100 (Continue)', {}, [['expect', '100-continue']], 0],
  ])('sends STOP_SENDING with H3_NO_ERROR for an unread body when %s', async (_when, limits, more, bytes) => {
    await using server = await serveHttp3((exchange) => exchange.respond(413, [], 'too large'), limits)
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    const fields = [...h3RequestFields({ path: '/' }, 'POST', connection), ...more]
    await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(fields)))
    await stream.send(Buffer.alloc(bytes))
    expect(await stream.stopCode).toBe(0x100)
    expect((await stream.readAll()).toString()).toContain('too large')
  })
})

describe('a connection', () => {
  // quiche forgets streams, and restores their credit and window, only under certain conditions.
  it.each<[string, (exchange: Exchange) => void, (stream: RawStream) => Promise<unknown>]>([
    ['cancelled before the response', () => {}, (stream) => Promise.resolve(stream.stop(REQUEST_CANCELLED))],
    ['aborted by the server', (exchange) => exchange.abort(), (stream) => stream.readAll()],
    [
      'aborted during the response',
      (exchange) => {
        exchange.start(200, [])
        exchange.write(Buffer.alloc(1000))
        exchange.abort()
      },
      (stream) => stream.readAll(),
    ],
    [
      'answered before the request is complete',
      (exchange) => exchange.respond(413, [], 'no'),
      (stream) => stream.readAll(),
    ],
  ])('survives more requests than it permits at the same time, %s', async (_how, handle, finish) => {
    await using server = await serveHttp3(
      (exchange) => (exchange.target === '/last' ? exchange.respond(200, [], 'fine') : handle(exchange)),
      { maxConcurrentStreams: 5 },
    )
    const client = await server.connect()
    const body = Buffer.alloc(20_000)
    for (let i = 0; i < 30; i++) {
      const stream = await client.connection.openStream()
      const fields = h3RequestFields({ path: '/' }, 'POST', client.connection)
      const head = h3Frame(H3Frame.HEADERS, encodeFields(fields))
      void stream.send(Buffer.concat([head, h3Frame(H3Frame.DATA, body)]), { end: true })
      await finish(stream).catch(() => {})
    }
    expect(await (await client.request({ path: '/last' })).text()).toBe('fine')
    expect(client.connection.isOver).toBe(false)
  })

  it('survives more aborted downloads than it permits at the same time', async () => {
    await using server = await serveHttp3(
      (exchange) => exchange.respond(200, [], Buffer.alloc(exchange.target === '/last' ? 10 : 5_000_000)),
      { maxConcurrentStreams: 20 },
    )
    const client = await server.connect({ streamWindow: 1_000_000 })
    for (let i = 0; i < 100; i++) {
      const response = await client.request({ path: '/' })
      for await (const slice of response.body) if (slice.length > 0) break
    }
    expect(await (await client.request({ path: '/last' })).bytes()).toHaveLength(10)
    expect(client.connection.isOver).toBe(false)
  })

  it('survives uploads that the client aborts before the handler reads them', async () => {
    await using server = await serveHttp3((exchange) => {
      if (exchange.target === '/last')
        exchange.body.consume({ data: () => {}, end: () => exchange.respond(200, [], 'fine'), error: () => {} })
    })
    const client = await server.connect()
    for (let i = 0; i < 100; i++) {
      const stream = await client.connection.openStream()
      const fields = h3RequestFields({ path: '/' }, 'POST', client.connection)
      await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(fields)))
      await stream.send(h3Frame(H3Frame.DATA, Buffer.alloc(60_000)))
      stream.stop(REQUEST_CANCELLED)
      stream.reset(REQUEST_CANCELLED)
    }
    expect(await (await client.request({ path: '/last', body: Buffer.alloc(500_000) })).text()).toBe('fine')
    expect(client.connection.isOver).toBe(false)
  })

  it('accepts requests while unread uploads are blocked', async () => {
    await using server = await serveHttp3((exchange) => {
      if (exchange.target === '/small') exchange.respond(200, [], 'fine')
      if (exchange.target === '/read')
        exchange.body.consume({ data: () => {}, end: () => exchange.respond(200, [], 'read'), error: () => {} })
    })
    const client = await server.connect()
    const waiting = Array.from({ length: 20 }, () =>
      client.request({ path: '/unread', body: Buffer.alloc(1_000_000) }).catch(() => {}),
    )
    for (let i = 0; i < 5; i++) {
      const read = await client.request({ path: '/read', body: Buffer.alloc(1_000_000) })
      expect(await read.text()).toBe('read')
      expect(await (await client.request({ path: '/small' })).text()).toBe('fine')
    }
    client.connection.close()
    await Promise.all(waiting)
  })
})
