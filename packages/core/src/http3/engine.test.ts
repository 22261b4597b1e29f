import type { Exchange } from '@fw/types'
import { everySplit } from '@fw/testing'
import { decodeFields, encodeFields, H3Frame, h3Frame, h3RequestFields } from '@fw/testing/h3'
import { describe, expect, it } from 'vitest'
import { bodyOf, echo, outcomeOf, serveHttp3 } from '../../test/serve-http3.ts'

async function* inSlices(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('ab')
  yield Buffer.from('cd')
}

describe('an HTTP/3 request', () => {
  it('arrives with its method, target, authority, fields and peer', async () => {
    const requests: Exchange[] = []
    await using server = await serveHttp3((exchange) => {
      requests.push(exchange)
      exchange.respond(200, [], null)
    })
    const client = await server.connect()
    await client.request({
      path: '/a%20b?c',
      headers: [
        ['X-A', '\u00e9'],
        ['cookie', 'a=1'],
        ['cookie', 'b=2'],
      ],
    })
    const [exchange] = requests
    expect(exchange).toMatchObject({
      protocol: 'HTTP/3.0',
      scheme: 'https',
      method: 'GET',
      target: '/a%20b?c',
      authority: `127.0.0.1:${server.port}`,
      remoteAddress: '127.0.0.1',
      remotePort: expect.any(Number),
    })
    expect([...(exchange?.headers ?? [])]).toEqual([
      ['x-a', '\u00e9'],
      ['cookie', 'a=1; b=2'],
    ])
    expect(exchange?.body.length).toBe(0)
  })

  it('is read unchanged wherever its bytes are split', async () => {
    await using server = await serveHttp3((exchange) => {
      void bodyOf(exchange).then(({ body, trailers }) =>
        exchange.respond(200, [], `${exchange.target} ${body.toString()} ${trailers.join('=')}`),
      )
    })
    const { connection } = await server.connect()
    const fields = h3RequestFields({ path: '/x' }, 'POST', connection)
    const wire = Buffer.concat([
      h3Frame(H3Frame.HEADERS, encodeFields(fields)),
      h3Frame(H3Frame.DATA, 'abc'),
      h3Frame(H3Frame.HEADERS, encodeFields([['x-sum', '1']])),
    ])
    for (const slices of everySplit(wire)) {
      const stream = await connection.openStream()
      // Send each slice in its own packet.
      for (const slice of slices) await stream.send(slice)
      await stream.send('', { end: true })
      expect((await stream.readAll()).toString('latin1')).toContain('/x abc x-sum=1')
    }
  })

  it('can have a body of megabytes, which arrives intact with its trailers', async () => {
    await using server = await serveHttp3(echo)
    const client = await server.connect()
    const body = Buffer.alloc(3_000_000, 'some bytes, ')
    const response = await client.request({ path: '/', body, trailers: [['x-sum', '42']] })
    expect(body.equals(await response.bytes())).toBe(true)
    expect(await response.trailers).toEqual([['x-sum', '42']])
  })

  it('reports no length before its end arrives', async () => {
    const lengths: (number | undefined)[] = []
    await using server = await serveHttp3((exchange) => {
      lengths.push(exchange.body.length)
      echo(exchange)
    })
    const client = await server.connect()
    expect(await (await client.request({ path: '/', body: inSlices() })).text()).toBe('abcd')
    expect(await (await client.request({ path: '/', body: 'abcd' })).text()).toBe('abcd')
    expect(lengths).toEqual([undefined, 4])
  })

  it('receives a 100 response to expect: 100-continue when the handler reads its body', async () => {
    await using server = await serveHttp3((exchange) => {
      setImmediate(() => void bodyOf(exchange).then(({ body }) => exchange.respond(200, [], body)))
    })
    const client = await server.connect()
    const response = await client.request({ path: '/', body: 'abc', headers: [['expect', '100-continue']] })
    expect(response.informational).toEqual([100])
    expect(await response.text()).toBe('abc')
  })

  it('receives no 100 response to expect: 100-continue if the handler does not read its body', async () => {
    await using server = await serveHttp3((exchange) => exchange.respond(417, [], 'no'))
    const client = await server.connect()
    const response = await client.request({ path: '/', body: 'abc', headers: [['expect', '100-continue']] })
    expect([response.status, response.informational]).toEqual([417, []])
    expect(await response.text()).toBe('no')
  })
})

describe('an HTTP/3 response', () => {
  it('contains content-length and date, but not alt-svc', async () => {
    await using server = await serveHttp3((exchange) => exchange.respond(200, ['x-case', '\u00e9'], 'h\u00e9'))
    const response = await (await server.connect()).request({ path: '/' })
    expect(response.rawHeaders).toEqual([
      ['x-case', '\u00e9'],
      ['content-length', '3'],
      ['date', expect.stringMatching(/GMT$/)],
    ])
    expect(await response.text()).toBe('h\u00e9')
  })

  it('keeps a date field that the handler sets', async () => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
    await using server = await serveHttp3((exchange) => exchange.respond(200, ['date', date], null))
    const response = await (await server.connect()).request({ path: '/' })
    expect(response.rawHeaders.filter(([name]) => name === 'date')).toEqual([['date', date]])
  })

  it.each([
    ['HEAD', 200, '5'],
    ['GET', 204, null],
    ['GET', 304, null],
    ['GET', 205, '0'],
  ])('ends after the head, for %s with status %i', async (method, status, length) => {
    await using server = await serveHttp3((exchange) =>
      exchange.respond(status, [], method === 'HEAD' ? 'hello' : null),
    )
    const { connection } = await server.connect()
    const stream = await connection.openStream()
    const fields = h3RequestFields({ path: '/' }, method, connection)
    await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(fields)), { end: true })
    const wire = await stream.readAll()
    expect([wire[0], (wire[1] ?? 0) + 2]).toEqual([H3Frame.HEADERS, wire.length])
    const lengths = decodeFields(wire.subarray(2)).filter(([name]) => name === 'content-length')
    expect(lengths).toEqual(length === null ? [] : [['content-length', length]])
  })

  it.each(['HEAD', 'GET'])('ends after the head of a stream without a body, for %s', async (method) => {
    await using server = await serveHttp3((exchange) => {
      exchange.start(method === 'GET' ? 204 : 200, [])
      exchange.write(Buffer.from('dropped'))
      exchange.end()
    })
    const client = await server.connect()
    expect(await (await client.request({ path: '/', method })).bytes()).toHaveLength(0)
  })

  it('arrives one write at a time', async () => {
    const step = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using server = await serveHttp3((exchange) => {
      void (async () => {
        exchange.start(200, [])
        exchange.write(Buffer.from('one'))
        await step[0]?.promise
        exchange.write(Buffer.from('two'))
        await step[1]?.promise
        exchange.end()
      })()
    })
    const response = await (await server.connect()).request({ path: '/' })
    const body = response.body[Symbol.asyncIterator]()
    expect(Buffer.from((await body.next()).value as Uint8Array).toString()).toBe('one')
    step[0]?.resolve()
    expect(Buffer.from((await body.next()).value as Uint8Array).toString()).toBe('two')
    step[1]?.resolve()
    expect((await body.next()).done).toBe(true)
  })

  it('can have informational responses before it and trailers after it', async () => {
    await using server = await serveHttp3((exchange) => {
      exchange.inform(103, ['link', '</a.css>'])
      exchange.inform(102, [])
      exchange.start(200, [])
      exchange.write(Buffer.from('abc'))
      exchange.end(['x-sum', '1'])
    })
    const response = await (await server.connect()).request({ path: '/' })
    expect(response.informational).toEqual([103, 102])
    expect(await response.text()).toBe('abc')
    expect(await response.trailers).toEqual([['x-sum', '1']])
  })

  it('can be sent at the same time as 249 others', async () => {
    await using server = await serveHttp3((exchange) => {
      setTimeout(() => exchange.respond(200, [], exchange.target), exchange.target.length * 5)
    })
    const client = await server.connect()
    const paths = Array.from({ length: 250 }, (_, i) => `/${i}`)
    const responses = await Promise.all(paths.map(async (path) => (await client.request({ path })).text()))
    expect(responses).toEqual(paths)
  })

  it('reports its outcome when QUIC has accepted all of it', async () => {
    const outcomes: unknown[] = []
    await using server = await serveHttp3((exchange) => {
      void outcomeOf(exchange).then((outcome) => outcomes.push(outcome))
      exchange.respond(exchange.target === '/no' ? 404 : 200, [], exchange.target === '/empty' ? null : 'abc')
    })
    const client = await server.connect()
    for (const path of ['/', '/no', '/empty']) await (await client.request({ path })).bytes()
    expect(outcomes).toEqual([
      { status: 200, bodyBytes: 3, aborted: false },
      { status: 404, bodyBytes: 3, aborted: false },
      { status: 200, bodyBytes: 0, aborted: false },
    ])
  })
})
