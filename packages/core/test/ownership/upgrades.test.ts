import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import * as log from '@fw/log'
import { settle, testCertificate } from '@fw/testing'
import { Random } from '@fw/testing/fuzz'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Server, type Context } from '../../src/index.ts'
import { Sources } from './sources.ts'

/** Uses of the socket that `exchange.upgrade()` returns. The handler eventually closes every socket. */
const USES = ['destroy', 'end', 'echo', 'flood', 'write once', 'ignore'] as const
/** When the handler upgrades the connection. */
const MOMENTS = ['now', 'later', 'when the client has disconnected'] as const
/** The handler's results, which are too late for a response. */
const RESULTS = ['nothing', 'text', 'stream', 'failing iterable', 'FileHandle', 'error'] as const
/** Ways in which the client disconnects. */
const LEAVES = ['reset', 'close', 'half-close', 'send and reset', 'wait'] as const

interface Combination {
  readonly use: (typeof USES)[number]
  readonly moment: (typeof MOMENTS)[number]
  readonly result: (typeof RESULTS)[number]
  readonly leave: (typeof LEAVES)[number]
  /** Whether the handler listens for socket errors. */
  readonly hears: boolean
  /** Whether bytes for the new protocol follow the request head. */
  readonly hasHead: boolean
}

interface Case {
  readonly combination: Combination
  readonly sources: Sources
  entered: number
  left: number
  finished: number
  /** Number of sockets that the handler received, and number of closed ones. */
  sockets: number
  closes: number
}

/** Total number of combinations. */
const COMBINATIONS = process.env['CI'] === undefined ? 200 : 1000
/** A new seed, which is printed. Set `FUZZ_SEED` to repeat a run. */
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
const BATCH = 40

const unhandled: unknown[] = []
const note = (problem: unknown): void => void unhandled.push(problem)
const cases = new Map<string, Case>()
let count = 0

beforeAll(() => {
  log.setSinks([])
  console.info(`ownership of upgraded sockets: ${COMBINATIONS} combinations from seed ${SEED}`)
  process.on('unhandledRejection', note).on('uncaughtException', note).on('warning', note)
})
afterAll(() => process.off('unhandledRejection', note).off('uncaughtException', note).off('warning', note))

// Only HTTP/1.1 has upgrades: RFC 9113 §8.2.2 and RFC 9114 §4.2 forbid the fields `connection` and `upgrade`.
describe.each([
  ['h1', false],
  ['h1+tls', true],
])('an upgraded socket (%s)', (_, isTls) => {
  let server: Server
  let port = 0
  let sockets = 0
  beforeAll(async () => {
    const { key, cert } = await testCertificate()
    server = new Server(isTls ? { tls: { key, cert } } : {})
    server.router().get('/', handle)
    ;({ port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' }))
    sockets = openSockets()
  })
  afterAll(() => server.close({ drainMs: 0 }))

  it(`is released exactly once, in ${COMBINATIONS / 2} combinations of seed ${SEED}`, async () => {
    const random = new Random(SEED * 2 + Number(isTls))
    for (let left = COMBINATIONS / 2; left > 0; left -= BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, left) }, () => combination(random))
      await expectNothingLeft(await Promise.all(batch.map((each) => run(port, isTls, each))))
      await expect.poll(openSockets).toBeLessThanOrEqual(sockets)
    }
    expect(unhandled).toEqual([])
  }, 600_000)

  it('is released exactly once while the server is closing', async () => {
    const random = new Random(SEED * 2 + Number(isTls) + 50)
    const running = Array.from({ length: BATCH }, () => run(port, isTls, combination(random)))
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
    hasHead: random.chance(0.5),
  }
}

async function expectNothingLeft(batch: readonly Case[]): Promise<void> {
  const faults = (): unknown[] => batch.map(faultOf).filter((fault) => fault !== undefined)
  await expect.poll(faults, { timeout: 10_000 }).toEqual([])
  await settle(1)
  expect(faults()).toEqual([])
}

function faultOf({ combination: of, sources, ...counts }: Case): unknown {
  const { entered, left, finished, sockets, closes } = counts
  if (entered === left && entered === finished && sockets === closes && sources.faults.length === 0) return undefined
  return { of, counts, faults: sources.faults }
}

/** Sends one request, and disconnects as the combination specifies. */
async function run(port: number, isTls: boolean, of: Combination): Promise<Case> {
  const id = String(count++)
  const counts = { entered: 0, left: 0, finished: 0, sockets: 0, closes: 0 }
  const running: Case = { combination: of, sources: new Sources(import.meta.filename), ...counts }
  cases.set(id, running)
  const tcp = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true })
  const { cert } = await testCertificate()
  const socket: Socket = isTls
    ? connectTls({ socket: tcp, ca: cert, host: '127.0.0.1', ALPNProtocols: ['http/1.1'] })
    : tcp
  // Ignore errors: the server or the client resets connections.
  for (const each of [tcp, socket]) each.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const connected = new Promise<void>((resolve) => socket.once(isTls ? 'secureConnect' : 'connect', () => resolve()))
  await Promise.race([connected, closed])
  socket.resume()
  const head = `GET / HTTP/1.1\r\nHost: a\r\nX-Case: ${id}\r\nConnection: upgrade\r\nUpgrade: own\r\n\r\n`
  socket.write(head + (of.hasHead ? 'first bytes' : ''))
  await Promise.race([closed, sleep(2 + (count % 5))])
  if (of.leave === 'send and reset') socket.write('x'.repeat(10_000))
  if (of.leave === 'reset' || of.leave === 'send and reset') tcp.resetAndDestroy()
  if (of.leave === 'close') socket.destroy()
  if (of.leave === 'half-close') socket.end()
  await Promise.race([closed, sleep(500, undefined, { ref: false })])
  socket.destroy()
  tcp.destroy()
  return running
}

async function handle(ctx: Context): Promise<unknown> {
  const running = cases.get(ctx.headers.get('x-case') ?? '')
  if (running === undefined) throw new Error('The request must belong to a combination')
  running.entered++
  ctx.onFinish(() => running.finished++)
  try {
    const { moment, result } = running.combination
    const { upgrade } = ctx.exchange
    if (upgrade === undefined) throw new Error('The request must be an upgrade')
    if (moment === 'later') await sleep(2)
    if (moment === 'when the client has disconnected' && !ctx.signal.aborted) {
      await Promise.race([once(ctx.signal, 'abort'), sleep(20)])
    }
    const { socket } = upgrade()
    running.sockets++
    socket.once('close', () => running.closes++)
    use(socket, running.combination)
    if (result === 'error') throw new Error('The handler is broken')
    return running.sources.make(result)
  } finally {
    running.left++
  }
}

/** Uses the socket, and closes it after a while, like an owner with a time limit. */
function use(socket: Duplex, { use: how, hears }: Combination): void {
  if (hears) socket.on('error', () => {})
  setTimeout(() => socket.destroy(), 30)
  if (how === 'destroy') socket.destroy()
  if (how === 'ignore' || how === 'destroy') return
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: own\r\n\r\n')
  if (how === 'end') socket.end()
  if (how === 'echo') socket.pipe(socket)
  if (how === 'flood') {
    const flood = setInterval(() => socket.write('x'.repeat(10_000)), 1)
    socket.once('close', () => clearInterval(flood))
  }
}

/** Returns the number of open sockets in this process, which has both ends of each connection. */
function openSockets(): number {
  return readdirSync('/proc/self/fd').filter((fd) => pathOf(fd).startsWith('socket:')).length
}

function pathOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}
