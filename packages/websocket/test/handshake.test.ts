import { contextKey, HttpError, type Middleware } from '@fw/core'
import { setSinks } from '@fw/log'
import { beforeAll, describe, expect, it } from 'vitest'
import { acceptWebSocket, webSocket } from '../src/index.ts'
import { encodeFrame } from './frames.ts'
import { ACCEPT, CARRIERS, type Fields, openConnection, openRaw } from './raw-client.ts'
import { serve } from './serve.ts'

beforeAll(() => setSinks([]))

describe.each(CARRIERS)('a handshake on %s', (carrier) => {
  const isHttp1 = carrier === 'h1' || carrier === 'h1+tls'
  const scheme = carrier === 'h1' || carrier === 'h2c' ? 'http' : 'https'
  const accepted = isHttp1 ? 101 : 200

  it('is accepted, with the fields of the protocol', async () => {
    await using served = await serve(carrier, (router) => webSocket(router, '/', {}))
    const client = await openRaw(carrier, served.port, '/')
    expect(client.response.status).toBe(accepted)
    const { fields } = client.response
    expect([fields['connection'], fields['upgrade']]).toEqual(
      isHttp1 ? ['upgrade', 'websocket'] : [undefined, undefined],
    )
    expect(fields['sec-websocket-accept']).toBe(isHttp1 ? ACCEPT : undefined)
    expect(fields).not.toHaveProperty('sec-websocket-protocol')
    expect(fields).not.toHaveProperty('sec-websocket-extensions')
    expect(fields).not.toHaveProperty('content-length')
    expect(fields).not.toHaveProperty('transfer-encoding')
    client.destroy()
  })

  it.each<[string, Fields, number]>([
    ['an older version', { 'sec-websocket-version': '8' }, 426],
    ['no version', { 'sec-websocket-version': undefined }, 400],
    ['two subprotocols of the same name', { 'sec-websocket-protocol': 'a, a' }, 400],
    ['a malformed extension', { 'sec-websocket-extensions': 'a;' }, 400],
    ['a page from another origin', { origin: 'https://evil.example' }, 403],
    ['a sandboxed frame', { origin: 'null' }, 403],
    ['an empty origin', { origin: '' }, 403],
    ['the other scheme', { origin: `${scheme === 'http' ? 'https' : 'http'}://127.0.0.1:PORT` }, 403],
    ['another port', { origin: `${scheme}://127.0.0.1:1` }, 403],
    ['its own origin', { origin: `${scheme}://127.0.0.1:PORT` }, 0],
    ['no origin', { origin: undefined }, 0],
  ])('responds to %s', async (_, fields, status) => {
    await using served = await serve(carrier, (router) => webSocket(router, '/', {}))
    const own = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value?.replace('PORT', String(served.port))]),
    )
    const client = await openRaw(carrier, served.port, '/', { fields: own })
    expect(client.response.status).toBe(status === 0 ? accepted : status)
    expect(client.response.fields['sec-websocket-version']).toBe(status === 426 ? '13' : undefined)
    client.destroy()
  })

  it.each<[string, unknown, Fields, boolean]>([
    ['a listed origin', ['https://app.example'], { origin: 'https://app.example' }, true],
    ['an origin that is not listed', ['https://app.example'], { origin: 'https://app.example:8443' }, false],
    ['no origin, with a list', ['https://app.example'], {}, true],
    ['any origin', 'any', { origin: 'https://evil.example' }, true],
    [
      'an origin that a function allows',
      (origin: string) => origin.endsWith('.example'),
      { origin: 'https://a.example' },
      true,
    ],
    ['an origin that a promise refuses', async () => false, { origin: 'https://a.example' }, false],
    ['an origin for which a function returns no boolean', () => 'yes', { origin: 'https://a.example' }, false],
  ])('judges %s', async (_, origins, fields, isAllowed) => {
    await using served = await serve(carrier, (router) => webSocket(router, '/', { origins: origins as 'any' }, {}))
    const client = await openRaw(carrier, served.port, '/', { fields })
    expect(client.response.status).toBe(isAllowed ? accepted : 403)
    client.destroy()
  })

  it('runs middleware first, and sends its fields with the response', async () => {
    const User = contextKey<string>('User')
    const authenticate: Middleware = (ctx, next) => {
      const token = ctx.headers.get('authorization')
      if (token === null) throw new HttpError(401)
      ctx.set(User, token)
      ctx.cookies.set('session', 'abc')
      ctx.responseHeaders.set('x-frame-options', 'DENY')
      return next()
    }
    await using served = await serve(carrier, (router) => {
      router.use((ctx, next) => {
        ctx.responseHeaders.set('content-type', 'text/plain')
        return next()
      })
      webSocket(
        router,
        '/rooms/:room',
        { use: authenticate },
        {
          open: (socket) => socket.send(`${socket.ctx.params.room} ${socket.ctx.local(User)} ${socket.transport}`),
        },
      )
    })
    const refused = await openRaw(carrier, served.port, '/rooms/7')
    expect(refused.response.status).toBe(401)
    refused.destroy()

    const client = await openRaw(carrier, served.port, '/rooms/7', { fields: { authorization: 'ann' } })
    const { fields } = client.response
    expect(fields['x-frame-options']).toBe('DENY')
    expect(String(fields['set-cookie'])).toContain('session=abc')
    expect(fields).not.toHaveProperty('content-type')
    const version = isHttp1 ? 'HTTP/1.1' : carrier === 'h3' ? 'HTTP/3.0' : 'HTTP/2.0'
    await expect.poll(() => client.frames).toEqual([`text 7 ann ${version}`])
    client.destroy()
  })

  it('is refused by upgrade, with an error or a response', async () => {
    await using served = await serve(carrier, (router) => {
      webSocket(router, '/error', {
        upgrade: () => {
          throw new HttpError(402)
        },
      })
      webSocket(router, '/response', { upgrade: async () => new Response('no', { status: 409 }) })
      webSocket(router, '/fields', { upgrade: (ctx) => ctx.responseHeaders.set('x-from', 'upgrade') })
    })
    const statuses = await Promise.all(
      ['/error', '/response', '/fields'].map(async (path) => {
        const client = await openRaw(carrier, served.port, path)
        client.destroy()
        return [client.response.status, client.response.fields['x-from']]
      }),
    )
    expect(statuses).toEqual([
      [402, undefined],
      [409, undefined],
      [accepted, 'upgrade'],
    ])
  })

  it('selects a subprotocol in the order of the client', async () => {
    await using served = await serve(carrier, (router) =>
      webSocket(
        router,
        '/',
        { protocols: ['a', 'b'] },
        { open: (socket) => socket.send(`protocol ${socket.protocol}`) },
      ),
    )
    for (const [offer, selected] of [
      ['c, b, a', 'b'],
      [undefined, undefined],
    ]) {
      const client = await openRaw(carrier, served.port, '/', { fields: { 'sec-websocket-protocol': offer } })
      expect(client.response.fields['sec-websocket-protocol']).toBe(selected)
      await expect.poll(() => client.frames).toEqual([`text protocol ${selected ?? ''}`])
      client.destroy()
    }
    const refused = await openRaw(carrier, served.port, '/', { fields: { 'sec-websocket-protocol': 'c' } })
    expect(refused.response.status).toBe(400)
    refused.destroy()
  })

  it('gets 503 if the server begins to close during upgrade', async () => {
    let closing: Promise<void> | undefined
    await using served = await serve(carrier, (router) =>
      webSocket(router, '/', {
        upgrade: () => {
          closing = served.server.close()
        },
      }),
    )
    const client = await openRaw(carrier, served.port, '/')
    expect(client.response).toMatchObject({ status: 503, fields: { 'retry-after': '1' } })
    client.destroy()
    await closing
  })

  it('accepts compression only if the route has it', async () => {
    await using served = await serve(carrier, (router) => {
      webSocket(router, '/off', {})
      webSocket(router, '/on', { compression: true }, {})
    })
    const fields = { 'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits' }
    const off = await openRaw(carrier, served.port, '/off', { fields })
    expect(off.response.fields).not.toHaveProperty('sec-websocket-extensions')
    const on = await openRaw(carrier, served.port, '/on', { fields })
    expect(on.response.fields['sec-websocket-extensions']).toMatch(/^permessage-deflate; .*server_no_context_takeover/)
    off.destroy()
    on.destroy()
  })

  it('is accepted by a handler, which reads messages in a loop', async () => {
    await using served = await serve(carrier, (router) =>
      router.get('/', { tunnels: ['websocket'] }, async (ctx) => {
        await using socket = await acceptWebSocket(ctx)
        for await (const message of socket) {
          await socket.send(message)
          if (message === 'last') return
        }
      }),
    )
    const client = await openRaw(carrier, served.port, '/')
    await client.send({ opcode: 1, payload: Buffer.from('one') }, { opcode: 2, payload: Buffer.from([7]) })
    await client.send({ opcode: 1, payload: Buffer.from('last') })
    await expect.poll(() => client.frames).toEqual(['text one', 'binary \x07', 'text last', 'close 1000'])
    client.destroy()
  })

  it('refuses an ordinary request', async () => {
    await using served = await serve(carrier, (router) => webSocket(router, '/', {}))
    const fields = isHttp1 ? { upgrade: undefined, connection: undefined } : { ':protocol': undefined }
    const client = await openRaw(carrier, served.port, '/', { method: 'GET', fields })
    expect(client.response.status).toBe(isHttp1 ? 426 : 400)
    expect(client.response.fields['upgrade']).toBe(isHttp1 ? 'websocket' : undefined)
    client.destroy()
  })
})

describe('a handshake on HTTP/1.1', () => {
  it.each<[string, Fields, object, number]>([
    ['no key', { 'sec-websocket-key': undefined }, {}, 400],
    ['a short key', { 'sec-websocket-key': 'YWJj' }, {}, 400],
    ['no Connection', { connection: undefined }, {}, 426],
    ['a Connection without upgrade', { connection: 'keep-alive' }, {}, 426],
    ['no Upgrade', { upgrade: undefined }, {}, 426],
    ['another Upgrade', { upgrade: 'h2c' }, {}, 426],
    [
      'an upper-case Upgrade and several Connection options',
      { upgrade: 'WebSocket', connection: 'keep-alive, UPGRADE' },
      {},
      101,
    ],
    ['HTTP/1.0', {}, { version: '1.0' }, 426],
    ['HEAD', {}, { method: 'HEAD' }, 400],
    ['POST', {}, { method: 'POST' }, 405],
    ['a body', { 'content-length': '3' }, { following: Buffer.from('abc') }, 400],
  ])('responds to a request with %s', async (_, fields, options, status) => {
    await using served = await serve('h1', (router) => webSocket(router, '/', {}))
    const client = await openRaw('h1', served.port, '/', { fields, ...options })
    expect(client.response.status).toBe(status)
    client.destroy()
  })

  it('receives frames that follow the request in the same packet', async () => {
    await using served = await serve('h1', (router) =>
      webSocket(router, '/', { message: (socket, data) => socket.send(data) }),
    )
    const following = encodeFrame({ opcode: 1, payload: Buffer.from('early') })
    const client = await openRaw('h1', served.port, '/', { following })
    await expect.poll(() => client.frames).toEqual(['text early'])
    client.destroy()
  })
})

describe.each(['h2c', 'h3'] as const)('a connection with several WebSockets on %s', (carrier) => {
  it('carries 50 of them, and refuses more until one has closed', async () => {
    await using served = await serve(carrier, (router) => webSocket(router, '/', {}))
    const connection = await openConnection(carrier, served.port)
    const open = (): ReturnType<typeof openRaw> => openRaw(carrier, served.port, '/', { connection })
    const clients = await Promise.all(Array.from({ length: 50 }, open))
    expect(clients.map(({ response }) => response.status)).toEqual(Array<number>(50).fill(200))
    const refused = await open()
    expect(refused.response).toMatchObject({ status: 503, fields: { 'retry-after': '5' } })

    const other = await openRaw(carrier, served.port, '/')
    expect(other.response.status).toBe(200)
    other.destroy()

    await clients[0]?.close()
    await expect.poll(async () => (await open()).response.status).toBe(200)
    connection.destroy()
  })

  it('refuses another protocol with 501, and a path without a route with 404', async () => {
    await using served = await serve(carrier, (router) => webSocket(router, '/', {}))
    const other = await openRaw(carrier, served.port, '/', { fields: { ':protocol': 'connect-udp' } })
    expect(other.response.status).toBe(501)
    const missing = await openRaw(carrier, served.port, '/missing')
    expect(missing.response.status).toBe(404)
    other.destroy()
    missing.destroy()
  })
})
