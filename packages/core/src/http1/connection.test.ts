import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { connect, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { closed, everySplit, rawExchange, settle } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { serveEngines as serve } from '../../test/serve-engines.ts'
import { turns } from '../engine/event-loop/turns.ts'

/** Responds with the method, target, body and trailers after it has read the body. */
function echo(exchange: Exchange): void {
  let body = ''
  exchange.body.consume({
    data: (chunk) => (body += Buffer.from(chunk).toString('latin1')),
    end: (trailers) => exchange.respond(200, [], `${exchange.method} ${exchange.target} ${body} ${trailers.join()}`),
    error: (error) => ('status' in error ? exchange.respond(Number(error.status), [], null) : exchange.abort(error)),
  })
}

const hello = (exchange: Exchange): void => exchange.respond(200, [], exchange.target)
const bodies = (text: string): string[] =>
  text
    .split('HTTP/1.1 ')
    .slice(1)
    .map((message) => `${message.slice(0, 3)} ${message.slice(message.indexOf('\r\n\r\n') + 4)}`)

describe('a connection with several requests', () => {
  it('serves the same requests wherever the input is split', async () => {
    const { port } = await serve(echo)
    const wire =
      '\r\nPOST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nT: 1\r\n\r\n' +
      'POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nde' +
      'GET /c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const splits = everySplit(Buffer.from(wire, 'latin1'))
    await Promise.all(
      splits.map(async (slices) => {
        const { text, ended } = await rawExchange(port, slices, { timeoutMs: 10_000 })
        expect(bodies(text)).toEqual(['200 POST /a abc t,1', '200 POST /b de ', '200 GET /c  '])
        expect(ended).toBe('fin')
      }),
    )
  })

  it('sends responses in order even if a later handler is faster', async () => {
    const { port } = await serve((exchange) => void setTimeout(hello, exchange.target === '/slow' ? 50 : 0, exchange))
    const wire = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /quick HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const { text } = await rawExchange(port, wire)
    expect(bodies(text)).toEqual(['200 /slow', '200 /quick'])
  })

  it('closes after a response with "connection: close"', async () => {
    const { port } = await serve((exchange) => exchange.respond(200, ['connection', 'close'], 'x'))
    const wire = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
    const { text, ended } = await rawExchange(port, wire + wire)
    expect(bodies(text)).toEqual(['200 x'])
    expect(text).toContain('connection: close')
    expect(ended).toBe('fin')
  })

  it('answers all 1,000 pipelined requests after an immediate FIN from the client', async () => {
    const { port } = await serve(hello)
    const socket = connect(port, '127.0.0.1')
    socket.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000))
    let text = ''
    for await (const data of socket.setEncoding('latin1')) text += String(data)
    expect(bodies(text)).toHaveLength(1000)
  })

  it('stops reading after maxHeadBytes of pipelined requests', async () => {
    const { port } = await serve(() => {}, { maxHeadBytes: 1000 })
    const [client, server] = await openBoth(port)
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100_000))
    await settle(200)
    // Node.js reads 64 KiB at a time, and a paused stream buffers one more read.
    expect(server.bytesRead).toBeLessThanOrEqual(1000 + 2 * 64 * 1024)
    expect(server.bytesRead).toBeGreaterThan(1000)
    client.destroy()
  })

  it('closes after maxRequestsPerConnection requests', async () => {
    const { port } = await serve(hello, { maxRequestsPerConnection: 2 })
    const { text, ended } = await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3))
    expect(bodies(text)).toHaveLength(2)
    expect(ended).toBe('fin')
  })

  it('stays open on HTTP/1.0 only if the client sends "Connection: keep-alive"', async () => {
    const { port } = await serve(hello)
    const single = await rawExchange(port, 'GET / HTTP/1.0\r\n\r\n')
    expect(single).toMatchObject({ ended: 'fin', text: expect.stringContaining('connection: close') as string })
    const kept = await rawExchange(port, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', {
      until: (text) => text.endsWith('/'),
    })
    expect(kept).toMatchObject({ ended: 'open', text: expect.stringContaining('connection: keep-alive') as string })
  })
})

describe('a response', () => {
  it('uses chunked transfer coding for an unknown length, and closes the connection on HTTP/1.0', async () => {
    const { port } = await serve((exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from('abc'))
      exchange.write(Buffer.from('d'.repeat(20)))
      exchange.end(['t', '1'])
    })
    const chunked = await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(bodies(chunked.text)).toEqual([`200 3\r\nabc\r\n14\r\n${'d'.repeat(20)}\r\n0\r\nt: 1\r\n\r\n`])
    const old = await rawExchange(port, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    expect(bodies(old.text)).toEqual([`200 abc${'d'.repeat(20)}`])
    expect(old).toMatchObject({ ended: 'fin', text: expect.not.stringContaining('transfer-encoding') as string })
  })

  it('aborts the exchange if the body is shorter than its content-length', async () => {
    const { port, outcomes } = await serve((exchange) => {
      exchange.start(200, ['content-length', '10'])
      exchange.write(Buffer.from('abc'))
      exchange.end()
    })
    await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 3, aborted: true }])
  })

  it('throws a RangeError if the body exceeds its content-length', async () => {
    let thrown: unknown
    const { port } = await serve((exchange) => {
      exchange.start(200, ['content-length', '2'])
      try {
        exchange.write(Buffer.from('abc'))
      } catch (error) {
        thrown = error
      }
      exchange.abort()
    })
    await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(thrown).toBeInstanceOf(RangeError)
  })

  it('omits the written body for HEAD, 204 and 304', async () => {
    const { port, outcomes } = await serve((exchange) => {
      exchange.start(Number(exchange.target.slice(1)), [])
      exchange.write(Buffer.from('abc'))
      exchange.end()
    })
    const wire =
      'HEAD /200 HTTP/1.1\r\nHost: a\r\n\r\nGET /204 HTTP/1.1\r\nHost: a\r\n\r\n' +
      'GET /304 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const { text } = await rawExchange(port, wire)
    expect(bodies(text)).toEqual(['200 ', '204 ', '304 '])
    expect(text).not.toContain('transfer-encoding')
    expect(outcomes.map((outcome) => outcome.bodyBytes)).toEqual([0, 0, 0])
  })

  it('follows an informational response, except on HTTP/1.0', async () => {
    const { port } = await serve((exchange) => {
      exchange.inform(103, ['link', '</a.css>'])
      exchange.respond(200, [], 'x')
    })
    const { text } = await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a\.css>\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    const old = await rawExchange(port, 'GET / HTTP/1.0\r\n\r\n')
    expect(old.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })

  it('waits for a client that is not reading, and ends after the last byte', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let writes = 0
    const { port, outcomes } = await serve((exchange) => {
      void (async () => {
        exchange.start(200, [])
        for (; writes < 1000; writes++) if (!exchange.write(chunk)) await exchange.drained()
        exchange.end()
      })()
    })
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    let before = -1
    while (before !== writes) {
      before = writes
      await settle(200)
    }
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(900)
    let received = 0
    socket.on('data', (data: Buffer) => (received += data.length))
    await closed(socket)
    expect(received).toBeGreaterThan(1000 * chunk.length)
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 1000 * chunk.length, aborted: false }])
  })
})

describe('a request body', () => {
  it('triggers 100 (Continue) on its first read', async () => {
    const { port } = await serve(echo)
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n'
    const waiting = await rawExchange(port, head, { until: (text) => text.endsWith('\r\n\r\n') })
    expect(waiting.text).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    const { text } = await rawExchange(port, [`${head}ab`], { until: (all) => all.endsWith('ab ') })
    expect(bodies(text).at(-1)).toBe('200 POST / ab ')
  })

  it('closes the connection if the handler responds without reading the body', async () => {
    const { port } = await serve(hello)
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n'
    const { text, ended } = await rawExchange(port, head)
    expect(text).not.toContain('100 Continue')
    expect(ended).toBe('fin')
  })

  it('is discarded if the handler does not read it, and the next request is served', async () => {
    const { port } = await serve(hello)
    const wire =
      `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(1000)}` +
      'GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    expect(bodies((await rawExchange(port, wire)).text)).toEqual(['200 /a', '200 /b'])
  })

  it('does not block the next body if it has filled its buffer and is never read', async () => {
    const { port } = await serve(
      (exchange) => (exchange.target === '/unread' ? void setTimeout(hello, 20, exchange) : echo(exchange)),
      { maxBufferedBodyBytes: 200 },
    )
    const wire =
      `POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\n${'x'.repeat(300)}` +
      'POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab' +
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const { text } = await rawExchange(port, wire)
    expect(bodies(text)).toEqual(['200 /unread', '200 POST /read ab ', '200 GET /  '])
  })

  it('closes the connection after the response if it is too large to discard', async () => {
    const { port } = await serve(hello, { lingerBytes: 100 })
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n'
    expect(await rawExchange(port, head)).toMatchObject({
      ended: 'fin',
      text: expect.stringContaining('connection: close') as string,
    })
  })

  it('closes the connection after the response if its length is unknown and it is not read', async () => {
    const { port } = await serve(hello)
    const wire = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'
    expect(await rawExchange(port, wire)).toMatchObject({
      ended: 'fin',
      text: expect.stringContaining('connection: close') as string,
    })
  })

  it('reports malformed chunks to its consumer and closes the connection', async () => {
    const { port } = await serve(echo)
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    const { text, ended } = await rawExchange(port, `${head}3\r\nabcX`)
    expect(bodies(text)).toEqual(['400 '])
    expect(ended).toBe('fin')
  })

  it('delivers tiny chunks in few pieces that keep at most twice their size in memory', async () => {
    const pieces: Uint8Array[] = []
    const { port } = await serve((exchange) =>
      exchange.body.consume({
        data: (data) => pieces.push(data),
        end: () => exchange.respond(200, ['connection', 'close'], null),
        error: () => {},
      }),
    )
    const wire = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5000)}0\r\n\r\n`
    await rawExchange(port, wire)
    expect(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(5000)
    expect(pieces.length).toBeLessThan(50)
    const wasteful = pieces.filter(({ byteLength, buffer }) => buffer.byteLength > Math.max(8 * 1024, 2 * byteLength))
    expect(wasteful).toEqual([])
  })

  it('remains at the client until a consumer reads it', async () => {
    let exchange: Exchange | undefined
    const { port } = await serve((received) => (exchange = received))
    const socket = await open(port)
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${100 * 1024 * 1024}\r\n\r\n`)
    const chunk = Buffer.alloc(1024 * 1024)
    for (let i = 0; i < 100; i++) socket.write(chunk)
    await settle(300)
    expect(socket.writableLength).toBeGreaterThan(50 * 1024 * 1024)
    let received = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    exchange?.body.consume({ data: (data) => (received += data.byteLength), end: () => resolve(), error: () => {} })
    await promise
    expect(received).toBe(100 * 1024 * 1024)
    socket.destroy()
  })
})

describe('an upgrade', () => {
  const upgrade = 'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: shout\r\n\r\n'

  it('passes on the bytes that follow the request, and ends when the connection closes', async () => {
    const { port, outcomes, listener } = await serve((exchange) => {
      const { socket, head } = exchange.upgrade?.() ?? {}
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n')
      socket?.write(
        Buffer.from(head ?? [])
          .toString()
          .toUpperCase(),
      )
      socket?.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()))
      socket?.on('end', () => socket.end())
    })
    const socket = await open(port)
    socket.write(`${upgrade}early `)
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => (received += text))
    await expect.poll(() => received).toMatch(/EARLY $/)
    socket.write('late')
    await expect.poll(() => received).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\nEARLY LATE$/)
    expect(outcomes).toEqual([])
    const drained = listener.drain()
    socket.destroy()
    await drained
    expect(outcomes).toEqual([{ status: 101, bodyBytes: 0, aborted: false }])
  })

  it.each(['GET', 'POST'])('accepts %s with Content-Length: 0 and passes on the bytes after it', async (method) => {
    const { port } = await serve((exchange) => {
      const { socket, head } = exchange.upgrade?.() ?? {}
      socket?.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n<${Buffer.from(head ?? []).toString()}>`)
      if (socket === undefined) exchange.respond(426, ['connection', 'close'], 'not offered')
    })
    const wire = `${upgrade.replace('GET', method).slice(0, -2)}Content-Length: 0\r\n\r\nearly`
    expect(bodies((await rawExchange(port, wire)).text)).toEqual(['101 <early>'])
  })

  it('remains an ordinary request if the handler declines it, and the next one is served', async () => {
    const { port } = await serve(hello)
    const { text } = await rawExchange(port, `${upgrade}GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(bodies(text)).toEqual(['200 /chat', '200 /b'])
  })

  it.each([
    ['without Upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n\r\n'],
    ['without Connection', 'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\n'],
    ['on HTTP/1.0', 'GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['with a body', 'POST / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\na'],
    [
      'with an empty chunked body',
      'POST / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('is not offered by a request %s', async (_name, wire) => {
    const { port } = await serve((exchange) => exchange.respond(200, ['connection', 'close'], typeof exchange.upgrade))
    expect(bodies((await rawExchange(port, wire)).text)).toEqual(['200 undefined'])
  })
})

describe('a client that disconnects', () => {
  it('aborts the exchange before the response', async () => {
    let isBegun = false
    const { port, outcomes } = await serve(() => void (isBegun = true))
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(() => isBegun).toBe(true)
    socket.destroy()
    await expect.poll(() => outcomes).toEqual([{ status: 0, bodyBytes: 0, aborted: true }])
  })

  it('aborts the exchange during the response', async () => {
    let exchange: Exchange | undefined
    const { port, outcomes } = await serve((started) => {
      exchange = started
      started.start(200, [])
      started.write(Buffer.from('abc'))
    })
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    await expect.poll(() => outcomes).toEqual([{ status: 200, bodyBytes: 3, aborted: true }])
    expect(exchange?.isOpen).toBe(false)
    expect(exchange?.write(Buffer.from('late'))).toBe(true)
    await exchange?.drained()
  })

  it('fails the request body with an AbortError', async () => {
    let failure: Error | undefined
    let received = 0
    const { port } = await serve((exchange) =>
      exchange.body.consume({
        data: ({ length }) => (received += length),
        end: () => {},
        error: (error) => (failure = error),
      }),
    )
    const socket = await open(port)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc')
    await expect.poll(() => received).toBe(3)
    socket.destroy()
    await expect.poll(() => failure?.name).toBe('AbortError')
  })
})

describe('a connection that closes early', () => {
  it('runs no handler for later requests', async () => {
    const targets: string[] = []
    const { port } = await serve((exchange) => {
      targets.push(exchange.target)
      if (exchange.target === '/abort') exchange.abort()
    })
    const next = 'POST /effect HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'
    await rawExchange(port, `GET /abort HTTP/1.1\r\nHost: a\r\n\r\n${next}`)
    await rawExchange(port, `GET /wait HTTP/1.1\r\nHost: a\r\n\r\n${next}`, { halfClose: true })
    expect(targets).toEqual(['/abort', '/wait'])
  })

  it('resets instead of sending FIN if FIN would end the body', async () => {
    const { port } = await serve((exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from('half'))
      setTimeout(() => exchange.abort(), 50)
    })
    expect((await rawExchange(port, 'GET / HTTP/1.0\r\n\r\n')).ended).toBe('reset')
  })

  it('closes on drain if the response is sent and the rest of the body never arrives', async () => {
    const { port, listener } = await serve(hello)
    const wire = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'
    const result = rawExchange(port, wire, { timeoutMs: 5000 })
    await settle(50)
    await listener.drain()
    expect(await result).toMatchObject({ ended: 'fin', text: expect.stringContaining('200 OK') as string })
  })

  it('sends the whole response to a client that pauses', async () => {
    const { port, outcomes } = await serve(
      (exchange) => exchange.respond(200, ['connection', 'close'], Buffer.alloc(8 * 1024 * 1024)),
      { lingerTimeoutMs: 100 },
    )
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await settle(1000)
    let received = 0
    socket.on('data', (data: Buffer) => (received += data.length))
    await closed(socket)
    expect(received).toBeGreaterThan(8 * 1024 * 1024)
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 8 * 1024 * 1024, aborted: false }])
  })
})

describe('a slow client', () => {
  const bytes = 24 * 1024 * 1024
  it.each<[string, string | Buffer]>([
    ['bytes', Buffer.alloc(bytes, 'x')],
    ['text', 'x'.repeat(bytes)],
  ])('receives a whole response of %s that takes longer than writeStallTimeoutMs', async (_, body) => {
    const { port, outcomes } = await serve((exchange) => exchange.respond(200, ['connection', 'close'], body), {
      writeStallTimeoutMs: 2000,
    })
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    let received = 0
    for await (const data of socket) {
      const before = received
      received += (data as Buffer).length
      if (Math.floor(before / 2 ** 20) !== Math.floor(received / 2 ** 20)) await settle(100)
    }
    expect(received).toBeGreaterThan(bytes)
    expect(outcomes).toEqual([{ status: 200, bodyBytes: bytes, aborted: false }])
  })
})

describe('a rejected request', () => {
  it('receives one response and causes one report while the client is still sending', async () => {
    const { port, refusals } = await serve(hello)
    const wire = `GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${'x'.repeat(100_000)}`
    const { text, ended } = await rawExchange(port, wire)
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\ndate: .*\r\ncontent-length: 0\r\nconnection: close\r\n\r\n$/)
    expect(ended).toBe('fin')
    expect(refusals).toEqual([
      {
        status: 400,
        reason: 'Host given twice',
        protocol: 'HTTP/1.1',
        remoteAddress: '127.0.0.1',
        method: 'GET',
        target: '/x',
        bodyBytes: 0,
        durationMs: expect.any(Number) as number,
      },
    ])
  })

  it('does not change earlier responses', async () => {
    const { port } = await serve(hello)
    const { text } = await rawExchange(port, 'GET /a HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\n')
    expect(bodies(text)).toEqual(['200 /a', '400 '])
  })
})

describe('a client that disconnects within a head', () => {
  it.each<[string, string, readonly (string | undefined)[]]>([
    ['within a field', 'GET /x?y HTTP/1.1\r\nHost: a\r\nUser-', ['GET', '/x?y']],
    ['within the request line', 'GET /x', [undefined, undefined]],
    ['after the first byte of an HTTP/2 preface', 'P', [undefined, undefined]],
    ['within a second request', 'GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\n', ['GET', '/x']],
  ])('is reported once with 499 %s, after FIN or a reset', async (_, wire, requestLine) => {
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      const { port, refusals } = await serve(hello)
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {}).resume()
      await new Promise<void>((resolve) => socket.write(wire, () => resolve()))
      // A reset would discard bytes that the server has not read yet.
      await settle(50)
      socket[leave]()
      await expect.poll(() => refusals).toHaveLength(1)
      socket.destroy()
      await settle(20)
      expect(refusals.map(({ status, method, target }) => [status, method, target])).toEqual([[499, ...requestLine]])
    }
  })

  it.each(['', '\r\n', 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n\r\n'])(
    'is not reported after %j',
    async (wire) => {
      const { port, refusals } = await serve(hello)
      await rawExchange(port, wire, { halfClose: true })
      await settle(20)
      expect(refusals).toEqual([])
    },
  )
})

describe('a time limit', () => {
  it.each([
    ['closes a connection without a byte and without a response', '', { firstByteTimeoutMs: 100 }, ''],
    ['answers an incomplete head with 408', 'GET / HT', { headTimeoutMs: 100 }, '408'],
    ['closes an idle connection', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', { keepAliveTimeoutMs: 100 }, '200'],
    [
      'answers a stalled body with 408',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc',
      { bodyStallTimeoutMs: 100 },
      '408',
    ],
    [
      'answers a request that exceeds requestTimeoutMs with 408',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc',
      { requestTimeoutMs: 100 },
      '408',
    ],
  ])('%s', async (_name, wire, limits, status) => {
    const { port } = await serve(echo, limits)
    const { text, ended } = await rawExchange(port, wire === '' ? [] : wire, { timeoutMs: 5000 })
    expect(text.slice(9, 12)).toBe(status)
    expect(ended).not.toBe('open')
  })

  it('is not extended by a head that arrives byte by byte', async () => {
    const { port } = await serve(hello, { headTimeoutMs: 300 })
    const socket = await open(port)
    const timer = setInterval(() => socket.write('x'), 50)
    socket.write('GET /')
    const [response] = (await once(socket, 'data')) as [Buffer]
    clearInterval(timer)
    socket.destroy()
    expect(response.toString()).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('aborts an unread response even if the client continues to send', async () => {
    const { port, outcomes } = await serve(
      (exchange) => {
        exchange.start(200, [])
        exchange.write(Buffer.alloc(32 * 1024 * 1024))
      },
      { writeStallTimeoutMs: 300 },
    )
    const socket = await open(port)
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 100)
    await expect.poll(() => outcomes.length).toBe(1)
    clearInterval(timer)
    expect(outcomes[0]?.aborted).toBe(true)
    socket.destroy()
  })
})

describe('a draining listener', () => {
  it.each([
    ['a new', ''],
    ['an idle', 'GET /first HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('answers a request in transit on %s connection with "connection: close"', async (_what, before) => {
    const { port, listener } = await serve(hello, { drainIdleMs: 60_000 })
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    await once(socket, 'connect')
    socket.write(before)
    await settle(50)
    const drained = listener.drain()
    socket.write('GET /last HTTP/1.1\r\nHost: a\r\n\r\n')
    const text = (await socket.toArray()).join('')
    expect(bodies(text).at(-1)).toBe('200 /last')
    expect(text).toMatch(/connection: close[^]*\/last$/)
    await drained
  })

  it.each(['before', 'after'])(
    'answers a request that arrived %s the poll phase on a connection whose idle time is over',
    async (when) => {
      const { port, listener } = await serve(hello, { drainIdleMs: 1 })
      const socket = connect(port, '127.0.0.1').setEncoding('latin1')
      await once(socket, 'connect')
      await settle(50)
      // A timer runs before the event loop polls for input, and a file-system callback runs after it.
      await (when === 'before' ? sleep(1) : access('.'))
      socket.write('GET /last HTTP/1.1\r\nHost: a\r\n\r\n')
      const drained = listener.drain()
      const text = (await socket.toArray()).join('')
      expect(bodies(text)).toEqual(['200 /last'])
      expect(text).toContain('connection: close')
      await drained
    },
  )

  it('closes a connection that is waiting for its turn', async () => {
    let drained: Promise<void> | undefined
    const { port, listener } = await serve(
      (exchange) => {
        exchange.body.consume({
          data: () => {},
          end: () => {
            exchange.respond(200, [], 'x')
            // Other connections are busy too.
            for (let i = 0; i < 1000; i++) turns.take({ onTurn: () => {} })
            setImmediate(() => void (drained = listener.drain()))
          },
          error: () => {},
        })
      },
      { drainIdleMs: 1, keepAliveTimeoutMs: 60_000 },
    )
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65485\r\n\r\n'
    // Send exactly one share of work.
    const { ended } = await rawExchange(port, head + 'x'.repeat(65_536 - head.length), { timeoutMs: 3000 })
    expect(ended).toBe('fin')
    await drained
  })

  it('sends a whole large head that was written while the socket was blocked', async () => {
    const { port } = await serve((exchange) => {
      if (exchange.target === '/large') exchange.respond(200, ['x', 'v'.repeat(200_000), 'connection', 'close'], null)
      else exchange.respond(200, [], Buffer.alloc(60_000))
    })
    const [client, server] = await openBoth(port)
    client.pause().setNoDelay()
    while (server.writableLength === 0) {
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await sleep(1)
    }
    client.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    await settle(50)
    const text = Buffer.concat((await client.toArray()) as Buffer[]).toString('latin1')
    expect(text.slice(text.lastIndexOf('HTTP/1.1'))).toMatch(/vvv\r\n[^]*\r\n\r\n$/)
  })

  it('closes idle connections immediately and busy ones after their response', async () => {
    let finish: (() => void) | undefined
    const { port, listener } = await serve((exchange) => {
      if (exchange.target === '/busy') finish = () => exchange.respond(200, [], 'done')
      else exchange.respond(200, [], 'idle')
    })
    const idle = rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', { timeoutMs: 5000 })
    const busy = rawExchange(port, 'GET /busy HTTP/1.1\r\nHost: a\r\n\r\n', { timeoutMs: 5000 })
    const fresh = rawExchange(port, [], { timeoutMs: 5000 })
    await expect.poll(() => finish).toBeDefined()
    await settle(50)
    const drained = listener.drain()
    expect((await idle).ended).toBe('fin')
    expect((await fresh).ended).toBe('fin')
    finish?.()
    expect(await busy).toMatchObject({
      ended: 'fin',
      text: expect.stringMatching(/connection: close[^]*done$/) as string,
    })
    await drained
  })
})

describe('HTTP/2 with prior knowledge', () => {
  it('starts when the preface arrives byte by byte', async () => {
    const { port } = await serve(hello)
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1')
    const slices = Array.from(preface, (_, at) => preface.subarray(at, at + 1))
    // The server sends its SETTINGS and acknowledges the client's.
    const { bytes } = await rawExchange(port, slices, { until: (text) => text.includes('\0\0\0\x04\x01') })
    expect(bytes[3]).toBe(4)
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    const stream = session.request({ ':path': '/x' })
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
    expect(headers[':status']).toBe(200)
    stream.resume()
    await once(stream, 'close')
    session.close()
  })

  it('does not start for an HTTP/1.1 method that begins with the same letters', async () => {
    const { port } = await serve(hello)
    const { text } = await rawExchange(port, ['PR', 'OPFIND /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'])
    expect(bodies(text)).toEqual(['200 /x'])
  })
})

it.each([
  ['HTTP/1.1', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
])('removes all listeners from a closed socket over %s', async (_, wire) => {
  const { port } = await serve(hello)
  const [client, server] = await openBoth(port)
  client.write(wire, 'latin1')
  await once(client, 'data')
  client.destroy()
  await once(server, 'close')
  expect(listeners(server)).toEqual(listeners(new Socket()))
})

function listeners(socket: Socket): number[] {
  return ['data', 'end', 'drain', 'close'].map((event) => socket.listenerCount(event))
}

/** Opens a connection. Returns the client's and the server's socket. */
async function openBoth(port: number): Promise<[Socket, Socket]> {
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const onSocket = (message: unknown): void => resolve((message as { socket: Socket }).socket)
  subscribe('net.server.socket', onSocket)
  const client = await open(port)
  const server = await promise
  unsubscribe('net.server.socket', onSocket)
  return [client, server]
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}
