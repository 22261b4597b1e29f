import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Limits } from '../../src/options/limits.ts'
import { serveEngines, type RunningEngines } from '../serve-engines.ts'
import { FrameType } from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'

const AT_ONCE = 50

/** Answers after a few milliseconds, so that requests are always in progress. */
const serve = (): Promise<RunningEngines> =>
  serveEngines((exchange) => {
    setTimeout(() => exchange.respond(200, [], 'hello'), 5 * Math.random())
  })

function session(port: number): ClientHttp2Session {
  const client = connect(`http://127.0.0.1:${port}`)
  client.on('error', () => {})
  onTestFinished(() => client.destroy())
  return client
}

/** Returns the outcome of a request: its status, the name of an error, or `unsent` if the session was already ending. */
function ask(client: ClientHttp2Session): Promise<string> {
  if (client.closed || client.destroyed) return Promise.resolve('unsent')
  return new Promise((resolve) => {
    const stream = client.request({ ':path': '/' })
    let outcome = 'cut off'
    stream.on('response', (fields) => (outcome = String(fields[':status'])))
    stream.on('error', () => {})
    stream.on('close', () => resolve(stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? 'refused' : outcome))
    stream.resume().end()
  })
}

it('runs no request after the final GOAWAY, so the client can retry each one (RFC 9113 §6.8)', async () => {
  const before = await serve()
  const after = await serve()
  const clients = [session(before.port), session(after.port)] as const
  const outcomes: string[] = []
  let isOver = false
  const keepAsking = async (): Promise<void> => {
    while (!isOver) {
      const outcome = await ask(clients[0])
      outcomes.push(outcome)
      if (outcome === '200') continue
      // On the new server, retry the requests that are safe to retry according to RFC 9113 §8.7.
      outcomes.push(`again: ${await ask(clients[1])}`)
      break
    }
  }
  const asking = Array.from({ length: AT_ONCE }, keepAsking)
  await expect.poll(() => outcomes.length).toBeGreaterThan(4 * AT_ONCE)
  await before.listener.drain()
  await Promise.all(asking)
  isOver = true
  const count = (outcome: string): number => outcomes.filter((each) => each === outcome).length
  expect(new Set(outcomes).difference(new Set(['200', 'refused', 'unsent', 'again: 200']))).toEqual(new Set())
  expect(count('again: 200')).toBe(AT_ONCE)
  expect(before.outcomes).toHaveLength(count('200'))
  expect(before.outcomes.every(({ aborted }) => !aborted)).toBe(true)
})

async function idle(limits: Partial<Limits>): Promise<readonly [RunningEngines, RawClient]> {
  const running = await serveEngines((exchange) => exchange.respond(200, [], 'hello'), limits)
  const client = await RawClient.connect(running.port)
  expect(await client.serves(1)).toBe(true)
  return [running, client]
}

// Many clients fail queued requests when GOAWAY arrives. A client that has just sent a request has the fewest queued.
describe('a draining connection', () => {
  it('sends GOAWAY with the next request, before the response', async () => {
    const [{ listener }, client] = await idle({ drainIdleMs: 60_000 })
    void listener.drain()
    await client.ping()
    expect(client.goaway).toBeUndefined()
    client.send(headers(3, request()), headers(5, request()))
    await expect.poll(() => client.hasEnded(5)).toBe(true)
    const order = client.frames.filter(({ type }) => type === FrameType.GOAWAY || type === FrameType.HEADERS)
    expect(order.map(({ type, streamId }) => [type, streamId])).toEqual([
      [FrameType.HEADERS, 1],
      [FrameType.GOAWAY, 0],
      [FrameType.HEADERS, 3],
      [FrameType.HEADERS, 5],
    ])
    expect(client.lastStreamId).toBe(2 ** 31 - 1)
  })

  it('sends GOAWAY after drainIdleMs without a request', async () => {
    const [{ listener }, client] = await idle({ drainIdleMs: 50 })
    await listener.drain()
    const goaways = (): number[] => client.of(FrameType.GOAWAY).map(({ payload }) => payload.readUInt32BE(0))
    await expect.poll(goaways).toEqual([2 ** 31 - 1, 1])
  })

  it('sends GOAWAY immediately if it has been idle for drainIdleMs', async () => {
    const [{ listener }, client] = await idle({ drainIdleMs: 200 })
    await sleep(250)
    void listener.drain()
    await client.ping()
    expect(client.goaway).toBe('NO_ERROR')
  })

  it('sends the final GOAWAY immediately if drainIdleMs is 0, even with requests in progress', async () => {
    const { port, listener } = await serveEngines(() => {}, { drainIdleMs: 0 })
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await client.ping()
    void listener.drain()
    await client.ping()
    expect(client.lastStreamId).toBe(1)
  })
})
