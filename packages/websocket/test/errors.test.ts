import { connect } from 'node:net'
import { type Router } from '@fw/core'
import { createLogger, MemorySink, setSinks } from '@fw/log'
import { settle } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeFrame, encodeFrame } from './frames.ts'
import { webSocket } from '../src/index.ts'
import { openPair, text, WAIT } from './open-pair.ts'
import { openRaw } from './raw-client.ts'
import { serve } from './serve.ts'

beforeAll(() => setSinks([]))

describe('a client that disconnects during upgrade', () => {
  it('causes neither a log record nor a socket', async () => {
    const memory = new MemorySink()
    const gate = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    let opened = 0
    const register = (router: Router): void =>
      webSocket(
        router,
        '/',
        { maxSockets: 1 },
        {
          async upgrade(ctx) {
            ctx.onFinish(() => finished.resolve())
            await gate.promise
          },
          open: () => void opened++,
        },
      )
    await using served = await serve('h1', register, { logger: createLogger({ sinks: [memory], level: 'error' }) })
    const socket = connect({ port: served.port, host: '127.0.0.1' })
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n`)
    socket.write(`Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`)
    await settle(20)
    socket.destroy()
    await finished.promise
    gate.resolve()
    await settle(20)
    expect(memory.messages()).toEqual([])
    expect(opened).toBe(0)
    // The refused socket no longer counts.
    const next = await openRaw('h1', served.port, '/')
    expect(next.response.status).toBe(101)
    next.destroy()
  })
})

describe.each(['h1', 'h2c', 'h3'] as const)('an error of a connection on %s', (carrier) => {
  it('closes with 1011 if a handler throws, logs the error, and tells the client nothing', async () => {
    for (const name of ['open', 'message'] as const) {
      for (const isAsync of [false, true]) {
        const memory = new MemorySink()
        const fail = (): unknown => {
          if (isAsync) return Promise.reject(new Error('secret detail'))
          throw new Error('secret detail')
        }
        await using opened = await openPair(carrier, { logger: createLogger({ sinks: [memory] }) }, { [name]: fail })
        const { client, closes, errors } = opened
        await client.send(text('a'))
        await expect.poll(() => client.frames, WAIT).toEqual(['close 1011'])
        await client.send(closeFrame(1011))
        await expect.poll(() => closes, WAIT).toEqual([{ code: 1011, reason: '', clean: true }])
        expect(errors).toEqual([expect.objectContaining({ message: 'secret detail' })])
        expect(memory.messages().filter((message) => message.includes('secret detail'))).toHaveLength(1)
        expect(memory.contains(`/: the ${name} handler threw`)).toBe(true)
      }
    }
  })

  it('logs errors of the handlers error and close', async () => {
    const memory = new MemorySink()
    const logger = createLogger({ sinks: [memory] })
    await using opened = await openPair(
      carrier,
      { logger },
      {
        message() {
          throw new Error('first')
        },
        error() {
          throw new Error('second')
        },
        close: async () => {
          throw new Error('third')
        },
      },
    )
    await opened.client.send(text('a'), closeFrame(1000))
    // The handler error is called for each error of the others.
    const thrown = (): unknown[] => memory.messages().map((message) => /Error: (\w+)/.exec(message)?.[1])
    await expect.poll(thrown, WAIT).toEqual(['first', 'second', 'third', 'second'])
  })

  it('reports an invalid frame to error, and does not log it', async () => {
    const memory = new MemorySink()
    await using opened = await openPair(carrier, { logger: createLogger({ sinks: [memory] }) })
    const { client, closes, errors } = opened
    await client.write(encodeFrame(text('unmasked'), false))
    await expect.poll(() => client.frames, WAIT).toEqual(['close 1002'])
    client.stream.end()
    await expect.poll(() => closes, WAIT).toEqual([{ code: 1002, reason: '', clean: false }])
    expect(errors).toEqual([expect.objectContaining({ code: 'WS_ERR_EXPECTED_MASK' })])
    expect(memory.messages()).toEqual([])
  })
})
