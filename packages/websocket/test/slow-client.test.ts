import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setSinks } from '@fw/log'
import { settle } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ServerWebSocket } from '../src/index.ts'
import { type Frame, PING } from './frames.ts'
import { openPair, WAIT } from './open-pair.ts'

beforeAll(() => setSinks([]))

describe.each(['h1', 'h2c', 'h3'] as const)('a client that does not read on %s', (carrier) => {
  const CHUNK = 'x'.repeat(16 * 1024)

  /** Sends without waiting until a message is not sent, or `limit` bytes wait. */
  async function fill(socket: ServerWebSocket, limit: number): Promise<boolean> {
    for (let sent = 0; sent < 5000 && socket.bufferedBytes < limit; sent++) {
      const result = socket.send(CHUNK)
      if (sent % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (!socket.isOpen) return await result
    }
    return await Promise.race([socket.send(CHUNK), settle(100).then(() => true)])
  }

  it('is closed with 1013 beyond maxBufferedBytes', async () => {
    const maxBufferedBytes = 512 * 1024
    await using opened = await openPair(carrier, { maxBufferedBytes, closeTimeoutMs: 100 })
    opened.client.stream.pause()
    expect(await fill(opened.socket, Infinity)).toBe(false)
    expect(opened.socket.bufferedBytes).toBeLessThan(maxBufferedBytes + 2 * CHUNK.length)
    await expect.poll(() => opened.closes, WAIT).toEqual([{ code: 1013, reason: '', clean: false }])
  })

  it('misses messages beyond maxBufferedBytes with drop', async () => {
    const maxBufferedBytes = 512 * 1024
    const drops: unknown[] = []
    const onDrop = (message: unknown): void => void drops.push(message)
    subscribe('fw.websocket.drop', onDrop)
    await using opened = await openPair(carrier, { maxBufferedBytes, slowConsumer: 'drop' })
    opened.client.stream.pause()
    await fill(opened.socket, maxBufferedBytes)
    expect(await opened.socket.send(CHUNK)).toBe(false)
    expect(opened.socket.isOpen).toBe(true)
    expect(drops).not.toEqual([])
    opened.client.stream.resume()
    await expect.poll(() => opened.socket.bufferedBytes, WAIT).toBe(0)
    expect(await opened.socket.send('again')).toBe(true)
    unsubscribe('fw.websocket.drop', onDrop)
  })

  it('makes send wait, and resolves it when the client reads again', async () => {
    await using opened = await openPair(carrier, { slowConsumer: 'wait', maxBufferedBytes: 0 })
    opened.client.stream.pause()
    await fill(opened.socket, 2 ** 20)
    let result: boolean | undefined
    void opened.socket.send('last').then((sent) => (result = sent))
    await settle(50)
    expect(result).toBeUndefined()
    opened.client.stream.resume()
    await expect.poll(() => result).toBe(true)
    await expect.poll(() => opened.client.frames.at(-1)).toBe('text last')
  })

  it('does not leave send pending when the connection ends', async () => {
    await using opened = await openPair(carrier, { slowConsumer: 'wait' })
    opened.client.stream.pause()
    await fill(opened.socket, 2 ** 20)
    const sending = opened.socket.send('last')
    opened.socket.terminate()
    expect(await sending).toBe(false)
  })

  it('receives no pongs that would fill memory', async () => {
    await using opened = await openPair(carrier, {
      maxBufferedBytes: 64 * 1024,
      slowConsumer: 'drop',
      maxFramesPerSecond: 0,
    })
    const { client, socket } = opened
    client.stream.pause()
    await fill(socket, 64 * 1024 + 1)
    await socket.send(CHUNK)
    const before = socket.bufferedBytes
    await client.send(...Array.from({ length: 2000 }, (): Frame => ({ opcode: PING, payload: Buffer.alloc(125) })))
    await settle(50)
    expect(socket.bufferedBytes).toBeLessThanOrEqual(before + 256)
  })
})
