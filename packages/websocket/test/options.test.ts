import { constants } from 'node:buffer'
import { Server } from '@fw/core'
import { describe, expect, it } from 'vitest'
import { acceptWebSocket, webSocket } from '../src/index.ts'
import { openRaw } from './raw-client.ts'
import { serve } from './serve.ts'

const register = (options: object, handlers: object = {}): void =>
  webSocket(new Server().router(), '/', options, handlers)

describe('webSocket', () => {
  it.each<[object, string]>([
    [{ maxPayload: 1 }, 'webSocket: unknown option "maxPayload"'],
    [
      { origins: 'https://a.example' },
      'webSocket: option "origins" must be "same", "any", a list of origins or a function',
    ],
    [{ origins: ['https://a.example/'] }, 'webSocket: option "origins[0]" must be an origin, got "https://a.example/"'],
    [{ origins: ['null'] }, 'webSocket: option "origins[0]" must be an origin, got "null"'],
    [{ protocols: ['a b'] }, 'webSocket: option "protocols[0]" must be a token without spaces, got "a b"'],
    [{ compression: 'yes' }, 'webSocket: option "compression" must be true or false'],
    [{ slowConsumer: 'pause' }, 'webSocket: option "slowConsumer" must be "wait", "close" or "drop"'],
    [{ concurrent: 1 }, 'webSocket: option "concurrent" must be true or false'],
    [{ logger: console }, 'webSocket: option "logger" must be a logger from @fw/log'],
    [{ use: 7 }, 'GET /: option "use" must be a function'],
    [{ tunnels: ['other'] }, 'webSocket: unknown option "tunnels"'],
    [{ body: {} }, 'webSocket: unknown option "body"'],
  ])('rejects %o with a TypeError', (options, message) => {
    expect(() => register(options)).toThrow(TypeError)
    expect(() => register(options)).toThrow(message)
  })

  it.each<[string, readonly number[], readonly number[]]>([
    ['maxMessageBytes', [1, constants.MAX_STRING_LENGTH], [0, constants.MAX_STRING_LENGTH + 1, 1.5]],
    ['maxFragments', [1, 2 ** 31 - 1], [0, 2 ** 31]],
    ['maxFramesPerSecond', [0, 10, 1e9], [9, -1]],
    ['heartbeatMs', [0, 10, 2 ** 31 - 1], [9, 2 ** 31]],
    ['idleTimeoutMs', [0, 1, 2 ** 31 - 1], [-1, 2 ** 31]],
    ['closeTimeoutMs', [1, 2 ** 31 - 1], [0, 2 ** 31]],
    ['maxSockets', [0, 1], [-1]],
    ['maxSocketsPerAddress', [0, 1], [-1]],
    ['maxSocketsPerConnection', [0, 1], [-1]],
    ['maxBufferedBytes', [0, 2 ** 40], [-1]],
  ])('checks the range of %s', (name, valid, invalid) => {
    for (const value of valid) expect(() => register({ [name]: value })).not.toThrow()
    for (const value of invalid) expect(() => register({ [name]: value })).toThrow(RangeError)
  })

  it('rejects unknown handlers', () => {
    expect(() => register({}, { onMessage: () => {} })).toThrow(/webSocket handlers: unknown option "onMessage"/)
    expect(() => register({}, { message: 'echo' })).toThrow(/webSocket handlers: option "message" must be a function/)
  })
})

describe('acceptWebSocket', () => {
  it('rejects unknown options with a 500, before the handshake', async () => {
    await using served = await serve('h1', (routes) =>
      routes.get('/', { tunnels: ['websocket'] }, async (ctx) => {
        await acceptWebSocket(ctx, { maxPayload: 1 } as object)
      }),
    )
    const client = await openRaw('h1', served.port, '/')
    expect(client.response.status).toBe(500)
    client.destroy()
  })

  it('refuses a request without a socket', async () => {
    const server = new Server()
    webSocket(server.router(), '/', {})
    expect((await server.fetch('/')).status).toBe(426)
  })
})
