import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it, vi } from 'vitest'
import { sse, SseChannel, type SlowSubscriber, type SseStream } from '../src/index.ts'

const MIB = 2 ** 20
const EVENT = 'x'.repeat(64 * 1024)

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the bytes in reachable Buffers. */
function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

/** Handles the next opened stream. */
let handle: (stream: SseStream) => Promise<void>
let stallTimeoutMs = 0

async function start({ tls, http3 }: ServerDemand): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
  server.router().get('/', async (ctx) => handle(await sse(ctx, { heartbeatMs: 0, stallTimeoutMs })))
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

beforeAll(() => setSinks([]))

it('limits the memory of a history, even while other code uses the buffer pool', async () => {
  const channel = new SseChannel()
  const before = heldBytes()
  for (let n = 0; n < 1000; n++) {
    channel.publish('a', String(n))
    for (let at = 0; at < 20; at++) Buffer.from('x'.repeat(4000))
  }
  expect(channel.stats.keptEvents).toBe(1000)
  // As slices of the pool, the events would occupy 62 MiB. Discarded memory is freed a little later.
  await vi.waitFor(() => expect(heldBytes() - before).toBeLessThan(8 * MIB), { timeout: 30_000 })
})

eachProtocol('a client that never reads', start, (client) => {
  it('makes the producer wait until the stream is aborted', async () => {
    const before = heldBytes()
    stallTimeoutMs = 500
    let writes = 0
    let most = 0
    const done = Promise.withResolvers<SseStream>()
    handle = async (stream) => {
      while (stream.isOpen()) {
        const write = stream.data(EVENT)
        writes++
        most = Math.max(most, stream.bufferedBytes)
        await write
      }
      done.resolve(stream)
    }
    const response = await client().request({ path: '/' })
    const { signal } = await done.promise
    expect(signal.aborted).toBe(true)
    expect(most).toBeLessThan(MIB)
    // The socket buffers contain some of the events.
    expect(writes).toBeLessThan(500)
    response.abort()
    await vi.waitFor(() => expect(heldBytes() - before).toBeLessThan(8 * MIB), { timeout: 30_000 })
  })

  it.each<[SlowSubscriber, { isOpen: boolean; isDropping: boolean; warnings: number }]>([
    ['close', { isOpen: false, isDropping: false, warnings: 1 }],
    ['drop-oldest', { isOpen: true, isDropping: true, warnings: 1 }],
    ['drop-newest', { isOpen: true, isDropping: true, warnings: 1 }],
    // Events with three keys never fill the buffer.
    ['latest-by-key', { isOpen: true, isDropping: true, warnings: 0 }],
  ])('is reported and stays within its limit on a channel under %s', async (slowConsumer, expected) => {
    stallTimeoutMs = 0
    const notified = { slow: 0, dropped: 0 }
    const channel = new SseChannel({
      history: 0,
      slowConsumer,
      maxBufferedBytes: MIB,
      onSlow: () => notified.slow++,
      onDrop: (_, { events }) => (notified.dropped += events),
    })
    const subscribed = Promise.withResolvers<SseStream>()
    handle = async (stream) => {
      channel.subscribe(stream)
      subscribed.resolve(stream)
      await stream.closed
    }
    const response = await client().request({ path: '/' })
    const stream = await subscribed.promise
    const before = heldBytes()
    let most = 0
    for (let n = 0; n < 200 && stream.isOpen(); n++) {
      channel.publish('n', EVENT, { key: String(n % 3) })
      await turn()
      most = Math.max(most, stream.bufferedBytes)
    }
    expect(most).toBeLessThan(MIB + 2 * EVENT.length)
    // Objects of the last events are freed in later turns.
    await vi.waitFor(() => expect(heldBytes() - before).toBeLessThan(8 * MIB), { timeout: 30_000 })
    expect({ isOpen: stream.isOpen(), isDropping: notified.dropped > 0, warnings: notified.slow }).toEqual(expected)
    // The subscriber was removed with its waiting events.
    response.abort()
    await stream.closed
    expect(channel.stats.subscribers).toBe(0)
    await vi.waitFor(() => expect(heldBytes() - before).toBeLessThan(MIB), { timeout: 30_000 })
  })
})

eachProtocol('a client that vanishes', start, (client) => {
  it('ends the loop that writes to it and is removed from the channel', async () => {
    const channel = new SseChannel({ history: 0 })
    const ended = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    handle = async (stream) => {
      channel.subscribe(stream)
      opened.resolve()
      while (stream.isOpen()) {
        await stream.data(EVENT)
        channel.publish('n', EVENT)
        await turn()
      }
      ended.resolve()
    }
    const response = await client().request({ path: '/' })
    await opened.promise
    response.abort()
    await ended.promise
    expect(channel.stats.subscribers).toBe(0)
  })
})
