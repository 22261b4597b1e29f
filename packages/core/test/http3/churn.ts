import { setTimeout as sleep } from 'node:timers/promises'
import { connectH3, encodeFields, H3Frame, h3Frame, h3RequestFields, type H3Client } from '@fw/testing/h3'
import { Random } from '@fw/testing/fuzz'

/** Bytes of the response to `/large`. */
export const LARGE_BYTES: number = 256 * 1024
/** Silence after which a connection is over. */
export const PATIENCE_MS = 1000

/** What a run of ill-behaved clients came to for the well-behaved one beside them. */
export interface Churn {
  readonly served: number
  readonly failed: number
  /** The longest that one of its requests took. */
  readonly slowestMs: number
}

/** How a client behaves; it has a connection of its own. */
type Behaviour = (client: H3Client, random: Random) => Promise<void>

/** A request of which nothing but the beginning may be sent. */
async function begin({ connection }: H3Client, path: string, end: boolean) {
  const stream = await connection.openStream()
  await stream.send(h3Frame(H3Frame.HEADERS, encodeFields(h3RequestFields({ path }, 'POST', connection))), { end })
  return stream
}

const BEHAVIOURS: readonly [Behaviour, ...Behaviour[]] = [
  // Asks, and leaves in order.
  async (client) => void (await (await client.request({ path: '/' })).bytes()),
  // Leaves without a word while requests run.
  async (client) => {
    for (const path of ['/wait', '/large', '/read']) await begin(client, path, path !== '/read')
    client.connection.vanish()
  },
  // Gives requests up as fast as it makes them.
  async (client, random) => {
    for (let i = random.below(60); i >= 0 && !client.connection.isOver; i--) {
      const stream = await begin(client, random.pick(['/', '/wait', '/large', '/read']), false)
      stream.reset(0x10c)
      stream.stop(0x10c)
    }
  },
  // Takes nothing of many large responses.
  async (client, random) => {
    for (let i = random.below(20); i >= 0; i--) await begin(client, '/large', true)
    await sleep(random.below(50))
  },
  // Announces a body and sends a part of it.
  async (client, random) => {
    const stream = await begin(client, '/read', false)
    await stream.send(h3Frame(H3Frame.DATA, Buffer.alloc(random.below(30_000)), 50_000))
    await sleep(random.below(50))
  },
  // Sends fields that have no end.
  async (client) => {
    const stream = await client.connection.openStream()
    await stream.send(h3Frame(H3Frame.HEADERS, Buffer.alloc(1000, 'x'), 2 ** 30))
    await sleep(5)
  },
  // Opens streams of all kinds, slowly, and says nothing on them.
  async (client) => {
    for (let type = 0x21; type < 0x21 + 4 * 0x1f; type += 0x1f) {
      await client.connection.openUnidirectional(type)
      await sleep(2)
    }
  },
  // Is gone as soon as it is there.
  (client) => {
    client.connection.vanish()
    return Promise.resolve()
  },
]

/**
 * Connects and misbehaves, so many times and so many at once, while a well-behaved client asks again and again.
 *
 * @param width Connections at once
 */
export async function churn(port: number, count: number, width: number, seed = 1): Promise<Churn> {
  let connections = 0
  const misbehave = async (random: Random): Promise<void> => {
    while (connections++ < count) {
      const client = await connectImpatiently(port)
      await random
        .pick(BEHAVIOURS)(client, random)
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

/** So many clients in one process may be late themselves: whose time was over before the handshake was tries again. */
async function connectImpatiently(port: number): Promise<H3Client> {
  for (let tries = 10; ; tries--) {
    try {
      return await connectH3({ port, idleTimeoutMs: PATIENCE_MS })
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
