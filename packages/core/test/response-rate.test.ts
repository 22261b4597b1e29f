import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Exchange } from '@fw/types'
import { settle, testCertificate } from '@fw/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CertificateSet } from '../src/tls/certificate-set.ts'
import { loadCredentials } from '../src/tls/credentials.ts'
import { Setting, windowUpdate } from './http2/frames.ts'
import { headers } from './http2/hpack.ts'
import { RawClient, request } from './http2/raw-client.ts'
import { serveEngines } from './serve-engines.ts'
import { outcomeOf, serveHttp3 } from './serve-http3.ts'

const MIB = 2 ** 20
const STALL = { writeStallTimeoutMs: 400 }

/** Streams an event every 50 ms, even if the client is not reading. */
function heartbeat(exchange: Exchange, firstBytes: number): void {
  exchange.start(200, [])
  exchange.write(Buffer.alloc(firstBytes))
  const timer = setInterval(() => exchange.write(Buffer.from(': still here\n\n')), 50)
  exchange.onClose = () => clearInterval(timer)
  onTestFinished(() => clearInterval(timer))
}

describe('a client that reads a response too slowly', () => {
  it('loses its HTTP/1.1 connection even if the handler continues to write', async () => {
    const { port, outcomes } = await serveEngines((exchange) => {
      const note = exchange.onClose
      heartbeat(exchange, 16 * MIB)
      const stop = exchange.onClose
      exchange.onClose = (outcome) => (note?.(outcome), stop?.(outcome))
    }, STALL)
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(() => outcomes).toMatchObject([{ aborted: true }])
  })

  it.each([
    ['receives a whole HTTP/2 response if it opens its window in one step', Infinity],
    ['loses its HTTP/2 stream if it opens its window byte by byte', 1],
  ])('%s', async (_how, step) => {
    const { port, outcomes } = await serveEngines((exchange) => exchange.respond(200, [], Buffer.alloc(MIB)), {
      writeStallTimeoutMs: 1000,
      minResponseBytesPerSecond: 1000,
    })
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 1000]] })
    client.send(windowUpdate(0, 2 ** 30), headers(1, request()))
    const timer = setInterval(() => client.send(windowUpdate(1, Math.min(step, MIB))), 20)
    onTestFinished(() => clearInterval(timer))
    await expect.poll(() => outcomes).toHaveLength(1)
    expect(outcomes).toMatchObject([{ aborted: step === 1 }])
    expect(client.reset(1)).toBe(step === 1 ? 'CANCEL' : undefined)
  })

  it('loses its HTTP/3 stream', async () => {
    const outcomes: boolean[] = []
    await using server = await serveHttp3((exchange) => {
      void outcomeOf(exchange).then(({ aborted }) => outcomes.push(aborted))
      exchange.respond(200, [], Buffer.alloc(4 * MIB))
    }, STALL)
    const client = await server.connect()
    await client.request({ path: '/' })
    await expect.poll(() => outcomes).toEqual([true])
  })
})

/** Interval in milliseconds between two reads by a client, each of at most 64 KiB. */
const READ_MS = 5
/** Number of reads that take longer than `writeStallTimeoutMs`. */
const ENOUGH_READS = 800

describe('a client that reads steadily', () => {
  const rates: readonly [what: string, minResponseBytesPerSecond: number][] = [
    ['keeps', 1],
    ['loses', 100 * MIB],
  ]
  const kinds = ['HTTP/1.1', 'HTTP/1.1 over TLS'].flatMap((kind) => rates.map((rate) => [...rate, kind] as const))

  it.each(kinds)('%s its connection with minResponseBytesPerSecond %i (%s)', async (what, rate, kind) => {
    const isTls = kind !== 'HTTP/1.1'
    const { key, cert } = await testCertificate()
    const { port, outcomes } = await serveEngines(
      (exchange) => exchange.respond(200, [], Buffer.alloc(64 * MIB)),
      { writeStallTimeoutMs: 2000, minResponseBytesPerSecond: rate },
      isTls ? new CertificateSet([await loadCredentials({ key, cert })]) : undefined,
    )
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
    const socket = (isTls ? connectTls(options) : connect(options)).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    let reads = 0
    // The kernel reports progress to the server in steps of about 1 MiB, so much smaller reads would look like no
    // progress.
    const timer = setInterval(() => {
      if (socket.read() !== null) reads++
    }, READ_MS)
    onTestFinished(() => clearInterval(timer))
    await vi.waitUntil(() => outcomes.length > 0 || reads > ENOUGH_READS, { timeout: 30_000 })
    expect(outcomes.map(({ aborted }) => aborted)).toEqual(what === 'loses' ? [true] : [])
    expect(reads).toBeGreaterThan(10)
  })

  it.each(rates)('%s its HTTP/3 stream with minResponseBytesPerSecond %i', async (what, rate) => {
    const outcomes: boolean[] = []
    await using server = await serveHttp3(
      (exchange) => {
        void outcomeOf(exchange).then(({ aborted }) => outcomes.push(aborted))
        exchange.respond(200, [], Buffer.alloc(16 * MIB))
      },
      { writeStallTimeoutMs: 2000, minResponseBytesPerSecond: rate },
    )
    const client = await server.connect({ streamWindow: 8 * 1024 })
    const { body } = await client.request({ path: '/' })
    let reads = 0
    const read = async (): Promise<void> => {
      for await (const slice of body) {
        if (slice.byteLength > 0) reads++
        await sleep(READ_MS)
      }
    }
    read().catch(() => {})
    await vi.waitUntil(() => outcomes.length > 0 || reads > ENOUGH_READS, { timeout: 30_000 })
    expect(outcomes).toEqual(what === 'loses' ? [true] : [])
    expect(reads).toBeGreaterThan(10)
  })
})

describe('a client that reads all response bytes', () => {
  it('keeps its stream while the handler sends nothing for longer than writeStallTimeoutMs', async () => {
    const exchanges: Exchange[] = []
    const serve = (exchange: Exchange): void => {
      exchanges.push(exchange)
      exchange.start(200, [])
      exchange.write(Buffer.from('data: 1\n\n'))
    }
    const limits = { writeStallTimeoutMs: 300, minResponseBytesPerSecond: 1000 }
    const { port } = await serveEngines(serve, limits)
    await using http3 = await serveHttp3(serve, limits)
    const socket = connect(port, '127.0.0.1').resume()
    onTestFinished(() => void socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const client = await RawClient.connect(port)
    client.send(headers(1, request()))
    await (await http3.connect()).request({ path: '/' })
    await expect.poll(() => exchanges).toHaveLength(3)
    await settle(1500)
    expect(exchanges.map(({ isOpen }) => isOpen)).toEqual([true, true, true])
  })
})
