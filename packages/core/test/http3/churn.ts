import { setTimeout as sleep } from 'node:timers/promises'
import { connectH3, encodeFields, H3Frame, h3Frame, h3RequestFields, type H3Client } from '@fw/testing/h3'
import { Random } from '@fw/testing/fuzz'

/** Size of the response to `/large` in bytes. */
export const LARGE_BYTES: number = 256 * 1024
/** Idle timeout of the connections in milliseconds. */
export const IDLE_TIMEOUT_MS = 1000

/** The well-behaved client's results in one run. */
export interface Churn {
  readonly served: number
  readonly failed: number
  /** Duration of its slowest request in milliseconds. */
  readonly slowestMs: number
}

/** Misbehavior of a client on its own connection. */
type Behavior = (client: H3Client, random: Random) => Promise<void>

/** Sends the head of a request, and its end if `end` is true. */
async function begin({ connection }: H3Client, path: string, end: boolean) {
  const stream = await connection.openStream()
  await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(h3RequestFields({ path }, 'POST', connection))), { end })
  return stream
}

const BEHAVIORS: readonly [Behavior, ...Behavior[]] = [
  // Sends a request and closes the connection.
  async (client) => void (await (await client.request({ path: '/' })).bytes()),
  // Disappears while requests are running.
  async (client) => {
    for (const path of ['/wait', '/large', '/read']) await begin(client, path, path !== '/read')
    client.connection.vanish()
  },
  // Aborts requests as fast as it sends them.
  async (client, random) => {
    for (let i = random.below(60); i >= 0 && !client.connection.isOver; i--) {
      const stream = await begin(client, random.pick(['/', '/wait', '/large', '/read']), false)
      stream.reset(0x10c)
      stream.stop(0x10c)
    }
  },
  // Requests many large responses and reads none of them.
  async (client, random) => {
    for (let i = random.below(20); i >= 0; i--) await begin(client, '/large', true)
    await sleep(random.below(50))
  },
  // Sends an incomplete body.
  async (client, random) => {
    const stream = await begin(client, '/read', false)
    await stream.send(h3Frame(H3Frame.DATA, Buffer.alloc(random.below(30_000)), 50_000))
    await sleep(random.below(50))
  },
  // Sends an endless header section.
  async (client) => {
    const stream = await client.connection.openStream()
    await stream.send(h3Frame(H3Frame.HEADERS, Buffer.alloc(1000, 'x'), 2 ** 30))
    await sleep(5)
  },
  // Opens streams of many types, slowly, without content.
  async (client) => {
    for (let type = 0x21; type < 0x21 + 4 * 0x1f; type += 0x1f) {
      await client.connection.openUnidirectional(type)
      await sleep(2)
    }
  },
  // Disappears immediately after connecting.
  (client) => {
    client.connection.vanish()
    return Promise.resolve()
  },
]

/**
 * Runs `count` misbehaving connections while a well-behaved client sends requests continuously.
 *
 * @param width Number of concurrent connections
 */
export async function churn(port: number, count: number, width: number, seed = 1): Promise<Churn> {
  let connections = 0
  const misbehave = async (random: Random): Promise<void> => {
    while (connections++ < count) {
      const client = await connectWithRetry(port)
      await random
        .pick(BEHAVIORS)(client, random)
        .catch(() => {})
      if (random.chance(0.5)) await client.close()
      else client.connection.vanish()
    }
  }
  const abort = new AbortController()
  const behaved = behave(port, abort.signal)
  await Promise.all(Array.from({ length: width }, (_, i) => misbehave(new Random(seed * 10_007 + i))))
  abort.abort()
  return behaved
}

/** Connects, with up to ten attempts. With many clients in one process, a handshake can exceed the idle timeout. */
async function connectWithRetry(port: number): Promise<H3Client> {
  for (let tries = 10; ; tries--) {
    try {
      return await connectH3({ port, idleTimeoutMs: IDLE_TIMEOUT_MS })
    } catch (error) {
      if (tries === 1) throw error
    }
  }
}

async function behave(port: number, signal: AbortSignal): Promise<Churn> {
  const client = await connectH3({ port })
  const result = { served: 0, failed: 0, slowestMs: 0 }
  while (!signal.aborted) {
    const start = performance.now()
    try {
      const { length } = await (await client.request({ path: '/large' })).bytes()
      result[length === LARGE_BYTES ? 'served' : 'failed']++
    } catch {
      result.failed++
    }
    result.slowestMs = Math.max(result.slowestMs, Math.round(performance.now() - start))
    await sleep(20)
  }
  await client.close()
  return result
}
