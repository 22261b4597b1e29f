import type { IncomingMessage } from 'node:http'
import * as log from '@fw/log'
import { connect, rawExchange, testCertificate } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { HttpError, Server } from '../src/index.ts'

beforeAll(() => log.setSinks([]))

describe.each(['ws', 'wss'])('a WebSocket library on an upgraded connection (%s)', (scheme) => {
  it('exchanges messages, and passes a plain request on the route to the handler', async () => {
    const { key, cert } = await testCertificate()
    await using server = new Server(scheme === 'wss' ? { tls: { key, cert } } : {})
    const sockets = new WebSocketServer({ noServer: true })
    server.router().get('/echo', (ctx) => {
      const { upgrade } = ctx.exchange
      if (upgrade === undefined)
        throw new HttpError(426, 'This route requires a WebSocket connection', { headers: { upgrade: 'websocket' } })
      const { socket, head } = upgrade()
      const request = { method: ctx.method, url: ctx.exchange.target, headers: Object.fromEntries(ctx.headers) }
      sockets.handleUpgrade(request as unknown as IncomingMessage, socket, Buffer.from(head), (peer) => {
        peer.on('message', (data, isBinary) => peer.send(data, { binary: isBinary }))
      })
    })
    const { port } = await server.listen({ port: 0, host: '127.0.0.1' })

    const client = new WebSocket(`${scheme}://127.0.0.1:${port}/echo`, { rejectUnauthorized: false })
    const received: string[] = []
    client.on('message', (data: Buffer) => received.push(data.toString()))
    client.on('open', () => {
      client.send('one')
      client.send('x'.repeat(100_000))
    })
    await expect.poll(() => received).toEqual(['one', 'x'.repeat(100_000)])
    client.close()
    await expect.poll(() => client.readyState).toBe(WebSocket.CLOSED)

    const empty = new WebSocket(`${scheme}://127.0.0.1:${port}/echo`, {
      rejectUnauthorized: false,
      headers: { 'content-length': '0' },
    })
    const failures: Error[] = []
    empty.on('error', (error) => failures.push(error)).on('open', () => empty.close())
    await expect.poll(() => empty.readyState).toBe(WebSocket.CLOSED)
    expect(failures).toEqual([])

    const other = await connect(scheme === 'ws' ? 'h1' : 'h1+tls', { port: port ?? 0 })
    expect((await other.request({ path: '/echo' })).status).toBe(426)
    await other.close()
  })
})

const until = (text: string): boolean => text.includes('\r\n\r\n')

describe('a response with status 426 on HTTP/1.1', () => {
  it.each([
    ['keep-alive', 'connection: upgrade, keep-alive'],
    ['close', 'connection: upgrade, close'],
  ])('names the protocol in upgrade and connection (%s)', async (option, line) => {
    await using server = new Server()
    server.router().get('/', () => {
      throw new HttpError(426, undefined, { headers: { upgrade: 'websocket' } })
    })
    server.router().get('/other', (ctx) => ctx.text('ok', { headers: { upgrade: 'websocket' } }))
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })

    const head = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: ${option}\r\n\r\n`
    const { text } = await rawExchange(port, head('/'), { until })
    expect(text).toContain('\r\nupgrade: websocket\r\n')
    expect(text).toContain(`\r\n${line}\r\n`)
    // With any other status, the connection does not ask the client to upgrade.
    const other = await rawExchange(port, head('/other'), { until })
    expect(other.text).not.toContain('upgrade')
  })
})
