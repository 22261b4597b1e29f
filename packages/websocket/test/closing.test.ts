import { setSinks } from '@fw/log'
import { settle } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeFrame, PING } from './frames.ts'
import { openPair, text, WAIT } from './open-pair.ts'

beforeAll(() => setSinks([]))

describe.each(['h1', 'h2c', 'h3'] as const)('the end of a connection on %s', (carrier) => {
  it('closes with the code and reason of the client, and reports them once', async () => {
    await using opened = await openPair(carrier, {})
    const { client, socket, closes } = opened
    const { signal } = socket
    await client.send(closeFrame(4001, 'bye'))
    await client.close()
    expect(client.frames).toEqual(['close 4001 bye'])
    await expect.poll(() => closes, WAIT).toEqual([{ code: 4001, reason: 'bye', clean: true }])
    expect(await socket.closed).toEqual(closes[0])
    expect(signal.aborted).toBe(true)
    expect(await socket.send('late')).toBe(false)
    socket.close()
    socket.terminate()
  })

  it('reports 1006 if the client disconnects without a Close frame', async () => {
    await using opened = await openPair(carrier, {})
    opened.client.destroy()
    await expect.poll(() => opened.closes, WAIT).toEqual([{ code: 1006, reason: '', clean: false }])
  })

  it('aborts the signal of a waiting handler if the client disconnects', async () => {
    const aborted = Promise.withResolvers<void>()
    await using opened = await openPair(
      carrier,
      {},
      {
        message: (socket) =>
          new Promise<void>((resolve) => {
            socket.signal.addEventListener('abort', () => {
              aborted.resolve()
              resolve()
            })
          }),
      },
    )
    await opened.client.send(text('work'), text('waits'))
    await settle(20)
    opened.client.stream.end()
    await expect(aborted.promise).resolves.toBeUndefined()
  })

  it('discards messages that arrive after close()', async () => {
    const seen: unknown[] = []
    await using opened = await openPair(
      carrier,
      {},
      {
        message(socket, data) {
          seen.push(data)
          socket.close(4000, 'done')
        },
      },
    )
    const { client, closes } = opened
    await client.send(text('one'), text('two'))
    await expect.poll(() => client.frames, WAIT).toEqual(['close 4000 done'])
    await client.send(text('three'), closeFrame(4000))
    await expect.poll(() => closes, WAIT).toEqual([{ code: 4000, reason: '', clean: true }])
    expect(seen).toEqual(['one'])
  })

  it('closes while a handler is pending, despite messages that wait', async () => {
    await using opened = await openPair(carrier, {}, { message: () => new Promise(() => {}) })
    const { client, socket, closes } = opened
    await client.send(text('one'), text('two'))
    await settle(20)
    socket.close()
    await expect.poll(() => client.frames, WAIT).toEqual(['close 1000'])
    await client.send(closeFrame(1000))
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1000, reason: '', clean: true }])
  })

  it('ends the connection if the client does not respond to a Close frame', async () => {
    await using opened = await openPair(carrier, { closeTimeoutMs: 50 })
    opened.socket.close(1000)
    await opened.client.ended
    await expect.poll(() => opened.closes, WAIT).toEqual([{ code: 1000, reason: '', clean: false }])
  })

  it('ends the connection without a Close frame in terminate()', async () => {
    await using opened = await openPair(carrier, {})
    opened.socket.terminate()
    await opened.client.ended
    expect(opened.client.frames).toEqual([])
    expect(opened.closes).toEqual([{ code: 1006, reason: '', clean: false }])
  })

  it('sends pings to a silent client, and ends its connection if it does not respond', async () => {
    await using opened = await openPair(carrier, { heartbeatMs: 100 })
    const { client, closes } = opened
    for (let round = 1; round <= 3; round++) {
      await expect.poll(() => client.frames.length, WAIT).toBe(round)
      await client.send({ opcode: 10, payload: Buffer.alloc(0) })
    }
    expect(closes).toEqual([])
    await client.ended
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1006, reason: '', clean: false }])
    expect(client.frames).toEqual(['ping', 'ping', 'ping', 'ping'])
  })

  it('closes with 1001 after idleTimeoutMs without a message', async () => {
    await using opened = await openPair(carrier, { idleTimeoutMs: 150 })
    const timer = setInterval(() => void opened.client.send({ opcode: PING, payload: Buffer.alloc(0) }), 20)
    await expect.poll(() => opened.client.frames.at(-1), WAIT).toBe('close 1001 idle')
    clearInterval(timer)
  })

  it('sends 1001 with a delay when the server closes, and ends when the client responds', async () => {
    await using opened = await openPair(carrier, {})
    const { client, served, closes } = opened
    const closing = served.server.close({ drainMs: 30_000 })
    await expect.poll(() => client.frames, WAIT).toHaveLength(1)
    expect(client.frames[0]).toMatch(/^close 1001 retry-after=\d{1,4}$/)
    await client.send(closeFrame(1001))
    await client.close()
    await closing
    expect(closes).toEqual([{ code: 1001, reason: '', clean: true }])
  })

  it('is destroyed at drainMs if the client does not respond', async () => {
    await using opened = await openPair(carrier, { closeTimeoutMs: 60_000 })
    await opened.served.server.close({ drainMs: 100 })
    await expect.poll(() => opened.closes, WAIT).toEqual([{ code: 1001, reason: '', clean: false }])
  })
})
