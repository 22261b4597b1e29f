import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { App } from '@fw/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SseChannel } from '../src/index.ts'
import { EventClient } from '../src/testing.ts'
import { workersBackplane } from '../src/workers.ts'

const range = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, n) => String(from + n))

/** Returns the ID of the process that responded. */
const pidOf = ({ response }: EventClient): string => response.headers.get('x-pid') ?? ''

describe('a program with workers', () => {
  let program: ChildProcess
  let origin = ''

  beforeAll(async () => {
    program = fork(fileURLToPath(new URL('workers-node.ts', import.meta.url)))
    const [{ port }] = (await once(program, 'message')) as [{ port: number }]
    origin = `http://127.0.0.1:${port}`
  })

  afterAll(() => void program.kill('SIGKILL'))

  const fetcher = { fetch: (path: string, init?: RequestInit) => fetch(new URL(path, origin), init) }
  const publish = async (from: number, to: number): Promise<string> => {
    const response = await fetch(new URL(`/publish/${from}/${to}`, origin), {
      method: 'POST',
      headers: { connection: 'close' },
    })
    return await response.text()
  }

  /** Connects a client to each worker. */
  async function onBoth(lastEventId?: string): Promise<EventClient[]> {
    const init = lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } }
    const byPid = new Map<string, EventClient>()
    while (byPid.size < 2) {
      const client = await EventClient.connect(fetcher, '/', init)
      const pid = pidOf(client)
      if (byPid.has(pid)) await client.close()
      else byPid.set(pid, client)
      await delay(5)
    }
    return [...byPid.values()]
  }

  it('delivers the events from every worker and the primary in one order', async () => {
    const clients = await onBoth()
    const publishers = new Set<string>()
    let count = 0
    while (publishers.size < 2 || count < 50) publishers.add(await publish(++count, count))
    program.send(++count)
    const received = await Promise.all(clients.map((client) => client.take(count)))
    expect(received[0]).toEqual(received[1])
    expect(new Set(received[0]?.map(({ data }) => data))).toEqual(new Set(range(1, count)))
    expect(new Set(received[0]?.map(({ lastEventId }) => lastEventId)).size).toBe(count)
    for (const client of clients) await client.close()
  })

  it('replays missed events on any worker, even a new one', async () => {
    const [first, second] = await onBoth()
    await publish(1, 1)
    const start = await first?.next()
    await second?.next()
    expect(start?.data).toBe('1')
    const killed = Number(pidOf(first!))
    await publish(2, 500)
    // Publish from the primary, because a killed worker could lose its own events.
    expect((await second!.take(499)).map(({ data }) => data)).toEqual(range(2, 500))
    process.kill(killed, 'SIGKILL')
    await expect(first!.take(Infinity)).rejects.toThrow('terminated')
    await publish(501, 600)
    // Messages from two workers can arrive in any order. Wait until the order of these events is fixed.
    expect((await second!.take(100)).map(({ data }) => data)).toEqual(range(501, 600))
    const clients = await onBoth(start?.lastEventId)
    expect(clients.map(pidOf)).not.toContain(String(killed))
    await publish(601, 700)
    for (const client of clients) {
      expect((await client.take(699)).map(({ data }) => data)).toEqual(range(2, 700))
      await client.close()
    }
    await first?.close()
    await second?.close()
  })

  it('catches up before it treats an ID as unknown', async () => {
    for (let n = 1; n <= 20; n++) {
      const [here, there] = await onBoth()
      await publish(1, 1)
      const event = await here?.next()
      // The other worker might not have the event yet.
      const clients = await onBoth(event?.lastEventId)
      await publish(2, 2)
      for (const client of clients) expect((await client.next())?.data).toBe('2')
      for (const client of [here, there, ...clients]) await client?.close()
    }
  })

  it('stops its workers when the server stops', async () => {
    const exit = once(program, 'exit')
    program.disconnect()
    expect(await exit).toEqual([0, null])
  })
})

describe('a program without workers', () => {
  it('uses the channel as if it did not have a backplane', async () => {
    const app = new App()
    await using channel = new SseChannel({ backplane: workersBackplane('alone') })
    app.router.get('/', (ctx) => channel.serve(ctx))
    await using client = await EventClient.connect(app, '/')
    channel.publish('n', '1')
    expect((await client.next())?.data).toBe('1')
    await client.close()
    channel.publish('n', '2', { id: 'two' })
    await client.reconnect()
    expect(await client.next()).toEqual({ type: 'n', data: '2', lastEventId: 'two' })
  })

  it('rejects a second open channel with the same name', async () => {
    const first = new SseChannel({ backplane: workersBackplane('same') })
    expect(() => new SseChannel({ backplane: workersBackplane('same') })).toThrow("a channel named 'same' exists")
    await first.close()
    await new SseChannel({ backplane: workersBackplane('same') }).close()
  })

  it('rejects a channel without a name', () => {
    expect(() => workersBackplane('')).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: 'workersBackplane: name must be a non-empty string, got "". Use the same name in every process.',
      }),
    )
  })
})
