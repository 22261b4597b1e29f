import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { setSinks } from '@fw/log'
import { settle } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { acceptWebSocket, type WebSocketMessage } from '../src/index.ts'
import { BINARY, closeFrame, encodeFrame, type Frame, TEXT } from './frames.ts'
import { openPair, text, WAIT } from './open-pair.ts'
import { openRaw } from './raw-client.ts'
import { serve } from './serve.ts'

beforeAll(() => setSinks([]))

function deflate(payload: string): Frame {
  // RFC 7692 §7.2.1: without the last four bytes of an empty block.
  const deflated = deflateRawSync(payload, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4)
  return { opcode: TEXT, payload: deflated, rsv: 4 }
}

describe.each(['h1', 'h2c', 'h3'] as const)('a message on %s', (carrier) => {
  it('handles one message at a time, in order, and makes the client wait', async () => {
    const events: string[] = []
    const gates: (() => void)[] = []
    await using opened = await openPair(
      carrier,
      { maxMessageBytes: 2 ** 20, maxFramesPerSecond: 0 },
      {
        async message(_, data) {
          events.push(`start ${String(data).slice(0, 3)}`)
          await new Promise<void>((resolve) => gates.push(resolve))
          events.push(`end ${String(data).slice(0, 3)}`)
        },
      },
    )
    const { client } = opened
    await client.send(text('one'), text('two'), text('three'))
    await expect.poll(() => events, WAIT).toEqual(['start one'])
    await settle(50)
    expect(events).toEqual(['start one'])
    gates.shift()?.()
    await expect.poll(() => events, WAIT).toEqual(['start one', 'end one', 'start two'])

    // The handler is pending, so the bytes of further messages fill the buffers and the client cannot send more.
    const chunk = encodeFrame(text('x'.repeat(65_536)))
    let sent = 0
    while (sent < 1000 && client.stream.writableLength < 8 * 2 ** 20) {
      client.stream.write(chunk)
      sent++
    }
    await settle(200)
    expect(client.stream.writableLength).toBeGreaterThan(0)
  })

  it('handles messages at the same time if the route is concurrent', async () => {
    const seen: unknown[] = []
    await using opened = await openPair(
      carrier,
      { concurrent: true },
      {
        message: (_, data) => {
          seen.push(data)
          return new Promise(() => {})
        },
      },
    )
    await opened.client.send(text('one'), text('two'))
    await expect.poll(() => seen, WAIT).toEqual(['one', 'two'])
  })

  it('waits for open before the first message', async () => {
    const events: string[] = []
    const gate = Promise.withResolvers<void>()
    await using opened = await openPair(
      carrier,
      {},
      {
        open: () => gate.promise,
        message: () => void events.push('message'),
      },
    )
    await opened.client.send(text('early'))
    // A ping before the message would be answered; one that follows it waits.
    await settle(50)
    expect(events).toEqual([])
    gate.resolve()
    await expect.poll(() => events, WAIT).toEqual(['message'])
  })

  it('passes binary messages in their own buffer', async () => {
    const seen: WebSocketMessage[] = []
    await using opened = await openPair(carrier, {}, { message: (_, data) => void seen.push(data) })
    await opened.client.send({ opcode: BINARY, payload: Buffer.from([1, 2, 3]) }, text('secret'))
    await expect.poll(() => seen, WAIT).toHaveLength(2)
    const [bytes] = seen
    expect(bytes).toEqual(new Uint8Array([1, 2, 3]))
    expect((bytes as Uint8Array).buffer.byteLength).toBe(3)
  })

  it('compresses long messages, and inflates those of the client up to maxMessageBytes', async () => {
    await using opened = await openPair(
      carrier,
      { compression: true, maxMessageBytes: 10_000 },
      { message: (socket, data) => socket.send(data) },
      { 'sec-websocket-extensions': 'permessage-deflate' },
    )
    const { client } = opened
    await client.send(deflate('a'.repeat(10_000)), deflate('short'))
    await expect.poll(() => client.frames, WAIT).toHaveLength(2)
    const [long = '', short] = client.frames
    expect(long.startsWith('text rsv 4 ')).toBe(true)
    const body = Buffer.concat([Buffer.from(long.slice(11), 'latin1'), Buffer.from([0, 0, 0xff, 0xff])])
    expect(inflateRawSync(body, { finishFlush: constants.Z_SYNC_FLUSH }).toString()).toBe('a'.repeat(10_000))
    expect(short).toBe('text short')
    // 10 MB in 10 KB.
    await client.send(deflate('a'.repeat(10_000_000)))
    await expect.poll(() => client.frames.at(-1), WAIT).toBe('close 1009')
  })

  it('closes with 1007 for compressed data that is malformed', async () => {
    const fields = { 'sec-websocket-extensions': 'permessage-deflate' }
    await using opened = await openPair(carrier, { compression: true }, {}, fields)
    await opened.client.send({ opcode: TEXT, payload: Buffer.from([0xff, 0xff, 0xff]), rsv: 4 })
    await expect.poll(() => opened.client.frames, WAIT).toEqual(['close 1007'])
  })

  it('streams messages in both directions', async () => {
    await using served = await serve(carrier, (router) =>
      router.get('/', { tunnels: ['websocket'] }, async (ctx) => {
        const socket = await acceptWebSocket(ctx)
        await socket.readable.pipeTo(socket.writable)
      }),
    )
    const client = await openRaw(carrier, served.port, '/')
    await client.send(text('one'), text('two'))
    await expect.poll(() => client.frames, WAIT).toEqual(['text one', 'text two'])
    await client.send(closeFrame(1000))
    await expect.poll(() => client.frames.at(-1), WAIT).toBe('close 1000')
    client.destroy()
  })
})
