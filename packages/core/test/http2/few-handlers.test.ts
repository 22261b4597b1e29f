import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import type { Exchange } from '@fw/types'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { bufferLedger } from '../../src/engine/budget/buffer-ledger.ts'
import { Server } from '../../src/index.ts'
import { serveEngines } from '../serve-engines.ts'
import { Setting, windowUpdate } from './frames.ts'
import { block, headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'

const MIB = 2 ** 20
const STREAMS = 20
/** Identifiers of the streams. */
const IDS = Array.from({ length: STREAMS }, (_, n) => 1 + 2 * n)
/** Options for a client that cannot receive any content. */
const CLOSED = { settings: [[Setting.INITIAL_WINDOW_SIZE, 0]] } as const

function openAll(client: RawClient, path = '/'): void {
  client.send(...IDS.map((id) => headers(id, request('GET', path))))
}

describe('an HTTP/2 connection in a process that has refused no request', () => {
  it.each([
    ['open', {}],
    ['closed', CLOSED],
  ])('runs all handlers at the same time with %s windows', async (_, options) => {
    const begun: Exchange[] = []
    const { port } = await serveEngines((exchange) => void begun.push(exchange))
    openAll(await RawClient.connect(port, options))
    await expect.poll(() => begun).toHaveLength(STREAMS)
  })
})

describe('a JSON result that exceeds the limit of its connection', () => {
  it('causes a 503 without being converted to text', async () => {
    log.setSinks([])
    const limits = { maxBufferedBytesPerConnection: MIB, maxBufferedBytes: 4 * MIB }
    const server = new Server({ limits })
    onTestFinished(() => server.close({ drainMs: 0 }))
    let converted = 0
    const toJSON = (): string => {
      converted++
      return 'x'.repeat(MIB)
    }
    server.router().get('/', () => sleep(50).then(() => ({ toJSON })))
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    const client = await RawClient.connect(port)
    openAll(client)
    await expect.poll(() => IDS.flatMap((id) => client.statuses(id))).toHaveLength(STREAMS)
    const refused = IDS.filter((id) => client.statuses(id)[0] === '503')
    expect(refused.length).toBeGreaterThan(STREAMS / 2)
    expect(converted).toBe(STREAMS - refused.length)
  })
})

describe('an HTTP/2 connection in a process that has refused a request', () => {
  beforeEach(() => bufferLedger.onRefused())

  it('runs one handler, and one more at the same time for each response that the client receives', async () => {
    const begun: Exchange[] = []
    const { port } = await serveEngines((exchange) => void begun.push(exchange))
    const client = await RawClient.connect(port, CLOSED)
    openAll(client)
    await expect.poll(() => begun).toHaveLength(1)
    begun[0]?.respond(200, [], 'a')
    client.send(windowUpdate(1, 1))
    await expect.poll(() => begun.length).toBeGreaterThanOrEqual(3)
    expect(client.statuses(1)).toEqual(['200'])
  })

  it('runs the next handler while tunnels are open', async () => {
    const begun: Exchange[] = []
    const onRequest = (exchange: Exchange): void => {
      begun.push(exchange)
      exchange.tunnel([])
    }
    const { port } = await serveEngines(onRequest, {}, undefined, true)
    const client = await RawClient.connect(port)
    const head = block(
      [':method', 'CONNECT'],
      [':protocol', 'own'],
      [':scheme', 'http'],
      [':authority', 'a'],
      [':path', '/'],
    )
    client.send(...IDS.map((id) => headers(id, head, 0)))
    await client.ping()
    expect(begun).toHaveLength(STREAMS)
  })

  it('starts further handlers, in order, even though the first ones do not respond', async () => {
    const begun: Exchange[] = []
    const { port } = await serveEngines((exchange) => void begun.push(exchange))
    const client = await RawClient.connect(port, CLOSED)
    openAll(client)
    await expect.poll(() => begun.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(5)
    expect(begun.slice(0, 5).map((exchange) => Reflect.get(exchange, 'id') as unknown)).toEqual(IDS.slice(0, 5))
  })

  it('serves all requests once the client opens its windows', async () => {
    const { port } = await serveEngines((exchange) => void setImmediate(() => exchange.respond(200, [], 'body')))
    const client = await RawClient.connect(port, CLOSED)
    openAll(client)
    client.send(...IDS.map((id) => windowUpdate(id, 1000)))
    await expect.poll(() => IDS.map((id) => client.body(id))).toEqual(IDS.map(() => 'body'))
  })
})
