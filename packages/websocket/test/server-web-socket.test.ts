import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setSinks } from '@fw/log'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { acceptWebSocket, type ServerWebSocket } from '../src/index.ts'
import { closeFrame } from './frames.ts'
import { openPair, text, WAIT } from './open-pair.ts'
import { openRaw } from './raw-client.ts'
import { serve } from './serve.ts'

beforeAll(() => setSinks([]))

describe('ServerWebSocket', () => {
  it('publishes messages on its diagnostics channels', async () => {
    const messages: unknown[] = []
    const record = (message: unknown, name: unknown): void => void messages.push([name, message])
    const names = ['fw.websocket.open', 'fw.websocket.close', 'fw.websocket.refuse']
    for (const name of names) subscribe(name, record)
    await using opened = await openPair('h1', { maxSockets: 1 }, { message: (socket, data) => socket.send(data) })
    const refused = await openRaw('h1', opened.served.port, '/')
    refused.destroy()
    await opened.client.send(text('a'), text('b'), closeFrame(1000))
    await expect.poll(() => opened.closes, WAIT).toHaveLength(1)
    for (const name of names) unsubscribe(name, record)
    expect(messages).toEqual([
      ['fw.websocket.open', { protocol: 'HTTP/1.1', open: expect.any(Number) }],
      ['fw.websocket.refuse', { limit: 'maxSockets' }],
      [
        'fw.websocket.close',
        { code: 1000, clean: true, received: 2, sent: 2, durationMs: expect.any(Number), open: expect.any(Number) },
      ],
    ])
  })

  it('rejects values that are not messages, and codes that a server must not send', async () => {
    await using opened = await openPair('h1', {})
    const { socket } = opened
    for (const value of [7, null, {}, new ArrayBuffer(1), ['a']]) {
      expect(() => socket.send(value as string)).toThrow(/socket\.send: data must be a string or a Uint8Array, got/)
    }
    expect(() => socket.close(1006)).toThrow(RangeError)
    expect(socket.isOpen).toBe(true)
  })

  it('is closed by the end of a loop', async () => {
    await using served = await serve('h1', (router) =>
      router.get('/', { tunnels: ['websocket'] }, async (ctx) => {
        const socket = await acceptWebSocket(ctx)
        for await (const message of socket) if (message === 'stop') break
      }),
    )
    const client = await openRaw('h1', served.port, '/')
    await client.send(text('go'), text('stop'), text('ignored'))
    await expect.poll(() => client.frames, WAIT).toEqual(['close 1000'])
    client.destroy()
  })

  it('stays open after the handler has returned, and serves several waiting reads', async () => {
    const sockets: ServerWebSocket<never>[] = []
    await using served = await serve('h1', (router) =>
      router.get('/', { tunnels: ['websocket'] }, async (ctx) => {
        sockets.push((await acceptWebSocket(ctx)) as unknown as ServerWebSocket<never>)
      }),
    )
    const client = await openRaw('h1', served.port, '/')
    await vi.waitUntil(() => sockets.length === 1)
    const [socket] = sockets
    const reader = socket?.[Symbol.asyncIterator]()
    if (reader === undefined) throw new Error('The handler has not run')
    const reads = [reader.next(), reader.next(), reader.next()]
    await client.send(text('one'), text('two'), closeFrame(1000))
    expect(await Promise.all(reads)).toEqual([
      { done: false, value: 'one' },
      { done: false, value: 'two' },
      { done: true, value: undefined },
    ])
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    client.destroy()
  })
})
