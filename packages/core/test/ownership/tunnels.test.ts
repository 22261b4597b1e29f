import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { settle, testCertificate } from '@fw/testing'
import { Random } from '@fw/testing/fuzz'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Server, type Context } from '../../src/index.ts'
import { connectTunnels, TUNNEL_PROTOCOLS, type TunnelProtocol } from '../tunnel-client.ts'
import { Sources } from './sources.ts'

/** Uses of the stream that `exchange.tunnel()` returns. The handler eventually closes every stream. */
const USES = ['destroy', 'fail', 'end', 'echo', 'flood', 'write once', 'ignore', 'pause', 'read and throw'] as const
/** When the handler opens the tunnel, or that it refuses it. */
const MOMENTS = ['now', 'later', 'when the client has disconnected', 'never'] as const
/** The handler's results, which come too late for a response. */
const RESULTS = ['nothing', 'text', 'stream', 'failing iterable', 'FileHandle', 'error'] as const
/** Ways in which the client disconnects. */
const LEAVES = ['abort', 'destroy', 'end', 'send and abort', 'send and end', 'wait'] as const

interface Combination {
  readonly use: (typeof USES)[number]
  readonly moment: (typeof MOMENTS)[number]
  readonly result: (typeof RESULTS)[number]
  readonly leave: (typeof LEAVES)[number]
  /** Whether the handler listens for errors. */
  readonly hears: boolean
  /** Number of tunnels on the connection. */
  readonly tunnels: number
}

interface Case {
  readonly combination: Combination
  readonly sources: Sources
  entered: number
  left: number
  finished: number
  /** Number of tunnels that the handler received, and number of closed ones. */
  opened: number
  closes: number
}

/** Number of combinations for each protocol. */
const COMBINATIONS = process.env['CI'] === undefined ? 100 : 400
/** A new seed, which is printed. Set `FUZZ_SEED` to repeat a run. */
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
const BATCH = 25

const unhandled: unknown[] = []
const note = (problem: unknown): void => {
  // A listener that throws ends its tunnel with a warning.
  if (!String(problem).includes('The listener is broken')) unhandled.push(problem)
}
const cases = new Map<string, Case>()
let count = 0

beforeAll(() => {
  log.setSinks([])
  console.info(`ownership of tunnels: ${COMBINATIONS} combinations for each protocol from seed ${SEED}`)
  process.on('unhandledRejection', note).on('uncaughtException', note).on('warning', note)
})
afterAll(() => process.off('unhandledRejection', note).off('uncaughtException', note).off('warning', note))

describe.each(TUNNEL_PROTOCOLS)('a tunnel (%s)', (protocol) => {
  let server: Server
  let port = 0
  beforeAll(async () => {
    const { key, cert } = await testCertificate()
    server = new Server(protocol === 'h3' ? { tls: { key, cert }, http3: true } : {})
    server.router().get('/', { tunnels: ['own'] }, handle)
    ;({ port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' }))
  })
  afterAll(() => server.close({ drainMs: 0 }))

  it(`is released exactly once, in ${COMBINATIONS} combinations of seed ${SEED}`, async () => {
    const random = new Random(SEED * 3 + TUNNEL_PROTOCOLS.indexOf(protocol))
    for (let left = COMBINATIONS; left > 0; left -= BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, left) }, () => combination(random))
      await expectNothingLeft(await Promise.all(batch.map((each) => run(protocol, port, each))))
    }
    await expect.poll(() => server.stats().requests).toEqual({ 'HTTP/1.1': 0, 'HTTP/2.0': 0, 'HTTP/3.0': 0 })
    await expect.poll(() => server.stats().buffered.bytes).toBe(0)
    expect(unhandled).toEqual([])
  }, 600_000)

  it('is released exactly once while the server is closing', async () => {
    const random = new Random(SEED * 3 + TUNNEL_PROTOCOLS.indexOf(protocol) + 50)
    const running = Array.from({ length: BATCH }, () => run(protocol, port, combination(random)))
    await sleep(5)
    await server.close({ drainMs: 20 })
    await expectNothingLeft(await Promise.all(running))
    expect(unhandled).toEqual([])
  }, 60_000)
})

function combination(random: Random): Combination {
  return {
    use: random.pick(USES),
    moment: random.pick(MOMENTS),
    result: random.pick(RESULTS),
    leave: random.pick(LEAVES),
    hears: random.chance(0.5),
    tunnels: random.pick([1, 1, 3]),
  }
}

async function expectNothingLeft(batch: readonly Case[]): Promise<void> {
  const faults = (): unknown[] => batch.map(faultOf).filter((fault) => fault !== undefined)
  await expect.poll(faults, { timeout: 10_000 }).toEqual([])
  await settle(1)
  expect(faults()).toEqual([])
}

function faultOf({ combination: of, sources, ...counts }: Case): unknown {
  const { entered, left, finished, opened, closes } = counts
  if (entered === left && entered === finished && opened === closes && sources.faults.length === 0) return undefined
  return { of, counts, faults: sources.faults }
}

/** Opens tunnels, and disconnects as the combination specifies. */
async function run(protocol: TunnelProtocol, port: number, of: Combination): Promise<Case> {
  const id = String(count++)
  const counts = { entered: 0, left: 0, finished: 0, opened: 0, closes: 0 }
  const running: Case = { combination: of, sources: new Sources(import.meta.filename), ...counts }
  cases.set(id, running)
  // A server that is closing accepts no connection.
  const connecting = connectTunnels(protocol, port).catch(() => undefined)
  const connection = await Promise.race([connecting, sleep(2000, undefined, { ref: false })])
  if (connection === undefined) return running
  try {
    const clients = await Promise.all(
      Array.from({ length: of.tunnels }, () => connection.open('/', 'own', ['x-case', id])),
    )
    await sleep(2 + (count % 5))
    for (const client of clients) {
      if (of.leave.startsWith('send')) client.send('x'.repeat(10_000))
      if (of.leave.endsWith('abort')) client.abort()
      if (of.leave.endsWith('end')) client.end()
    }
    if (of.leave === 'destroy') connection.destroy()
    await sleep(60)
  } catch {
    // The connection was closed while a tunnel was being opened.
  }
  connection.destroy()
  return running
}

async function handle(ctx: Context): Promise<unknown> {
  const running = cases.get(ctx.headers.get('x-case') ?? '')
  if (running === undefined) throw new Error('The request must belong to a combination')
  running.entered++
  ctx.onFinish(() => running.finished++)
  try {
    const { moment, result } = running.combination
    if (moment === 'never') return running.sources.make(result === 'error' ? 'text' : result)
    if (moment === 'later') await sleep(2)
    if (moment === 'when the client has disconnected' && !ctx.signal.aborted) {
      await Promise.race([once(ctx.signal, 'abort'), sleep(20)])
    }
    const tunnel = ctx.exchange.tunnel([])
    running.opened++
    tunnel.once('close', () => running.closes++)
    use(tunnel, running.combination)
    if (result === 'error') throw new Error('The handler is broken')
    return running.sources.make(result)
  } finally {
    running.left++
  }
}

/** Uses the tunnel, and closes it after a while, like an owner with a time limit. */
function use(tunnel: Duplex, { use: how, hears }: Combination): void {
  if (hears) tunnel.on('error', () => {})
  setTimeout(() => tunnel.destroy(), 30)
  if (how === 'destroy') tunnel.destroy()
  if (how === 'fail') tunnel.destroy(new Error('The owner failed'))
  if (how === 'write once') tunnel.write('once')
  if (how === 'end') tunnel.end('last')
  if (how === 'echo') tunnel.pipe(tunnel)
  if (how === 'pause') tunnel.on('data', () => tunnel.pause())
  if (how === 'read and throw') {
    tunnel.on('data', () => {
      throw new Error('The listener is broken')
    })
  }
  if (how === 'flood') {
    const flood = setInterval(() => tunnel.write('x'.repeat(10_000)), 1)
    tunnel.once('close', () => clearInterval(flood))
  }
}
