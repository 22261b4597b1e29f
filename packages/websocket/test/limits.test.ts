import { setSinks } from '@fw/log'
import { settle } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { webSocket } from '../src/index.ts'
import { type Frame, PING } from './frames.ts'
import { openPair, text, WAIT } from './open-pair.ts'
import { openRaw } from './raw-client.ts'
import { serve } from './serve.ts'

beforeAll(() => setSinks([]))

const part = (fin: boolean): Frame => ({ opcode: 0, payload: Buffer.alloc(0), fin })

describe.each(['h1', 'h2c', 'h3'] as const)('a limit of a connection on %s', (carrier) => {
  it('accepts messages of maxMessageBytes, and closes with 1009 for more', async () => {
    const seen: number[] = []
    await using opened = await openPair(
      carrier,
      { maxMessageBytes: 100 },
      {
        message: (_, data) => void seen.push(data.length),
      },
    )
    const { client, closes } = opened
    await client.send(text('a'.repeat(100)), text('a'.repeat(60), { fin: false }), {
      opcode: 0,
      payload: Buffer.alloc(40),
    })
    await expect.poll(() => seen, WAIT).toEqual([100, 100])
    await client.send(text('a'.repeat(60), { fin: false }), { opcode: 0, payload: Buffer.alloc(41) })
    await expect.poll(() => client.frames, WAIT).toEqual(['close 1009'])
    client.stream.end()
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1009, reason: '', clean: false }])
  })

  it('accepts maxFragments frames in a message, and closes with 1008 for more, even if they are empty', async () => {
    const seen: unknown[] = []
    await using opened = await openPair(carrier, { maxFragments: 3 }, { message: (_, data) => void seen.push(data) })
    await opened.client.send(text('a', { fin: false }), part(false), part(true))
    await expect.poll(() => seen, WAIT).toEqual(['a'])
    await opened.client.send(text('a', { fin: false }), part(false), part(false), part(true))
    await expect.poll(() => opened.client.frames, WAIT).toEqual(['close 1008'])
    expect(seen).toEqual(['a'])
  })

  it.each<[string, Frame, number]>([
    ['messages', text(''), 50],
    ['empty fragments', text('', { fin: false }), 1],
    ['pings', { opcode: PING, payload: Buffer.alloc(0) }, 5],
  ])('closes with 1008 after a flood of %s', async (name, frame, allowed) => {
    await using opened = await openPair(carrier, { maxFramesPerSecond: 10, maxFragments: 1000 })
    const { client, closes } = opened
    await client.send(...Array<Frame>(allowed).fill(frame))
    await settle(20)
    expect(client.frames.filter((each) => each.startsWith('close'))).toEqual([])
    const more = name === 'empty fragments' ? { opcode: 0, payload: Buffer.alloc(0), fin: false } : frame
    await client.send(...Array<Frame>(120).fill(more))
    await client.ended
    expect(client.frames.at(-1)).toBe('close 1008 too many frames')
    client.stream.end()
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1008, reason: '', clean: false }])
  })

  it('limits the sockets of the route and of an address', async () => {
    await using served = await serve(carrier, (router) => {
      webSocket(router, '/route', { maxSockets: 1 }, {})
      webSocket(router, '/address', { maxSocketsPerAddress: 1 }, {})
      webSocket(router, '/free', {}, {})
    })
    for (const path of ['/route', '/address']) {
      const first = await openRaw(carrier, served.port, path)
      expect(first.isOpen).toBe(true)
      const second = await openRaw(carrier, served.port, path)
      expect(second.response.status).toBe(503)
      const other = await openRaw(carrier, served.port, '/free')
      expect(other.isOpen).toBe(true)
      await first.close()
      await expect
        .poll(async () => {
          const third = await openRaw(carrier, served.port, path)
          third.destroy()
          return third.isOpen
        })
        .toBe(true)
      second.destroy()
      other.destroy()
    }
  })
})
