import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Exchange, Outcome } from '@fw/types'
import { settle, tempFolder, testCertificate } from '@fw/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CertificateSet } from '../../src/tls/certificate-set.ts'
import { DEFAULT_LIMITS, type Limits } from '../../src/options/limits.ts'
import { TcpListener } from '../../src/listening/tcp-listener.ts'
import { loadCredentials } from '../../src/tls/credentials.ts'
import { Setting, settings, windowUpdate } from './frames.ts'
import { headers } from './hpack.ts'
import { PREFACE, RawClient, request } from './raw-client.ts'
import { serveEngines } from '../serve-engines.ts'

const STREAMS = 30
const LARGE = Buffer.alloc(128 * 1024, 'x')

interface Served {
  readonly listener: TcpListener
  readonly client: Socket
  readonly outcomes: Outcome[]
  /** Reports whether the server has closed the connection. */
  readonly isClosed: () => Promise<boolean>
}

interface Asked {
  readonly limits: Partial<Limits>
  readonly isSecure?: boolean
  readonly streams?: number
}

/**
 * Serves a client that opens its windows to the maximum, sends requests, and reads nothing. Uses a Unix socket, which
 * buffers a few hundred KB instead of several MB.
 */
async function serve(onRequest: (exchange: Exchange) => void, asked: Asked): Promise<Served> {
  const folder = await tempFolder({})
  const outcomes: Outcome[] = []
  const listener = new TcpListener({
    tls: asked.isSecure === true ? await certificates() : undefined,
    http2: true,
    host: {
      limits: { ...DEFAULT_LIMITS, ...asked.limits },
      altSvc: '',
      onRequest(exchange) {
        exchange.onClose = (outcome) => outcomes.push(outcome)
        onRequest(exchange)
      },
      onRefused: () => {},
    },
  })
  const path = folder.join('s')
  await listener.listen({ path })
  const client =
    asked.isSecure === true
      ? connectTls({ path, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
      : connectTcp({ path })
  client.on('error', () => {}).pause()
  onTestFinished(async () => {
    client.destroy()
    listener.destroy()
    await folder[Symbol.asyncDispose]()
  })
  const requests = Array.from({ length: asked.streams ?? STREAMS }, (_, n) => headers(1 + 2 * n, request('GET', '/')))
  client.write(
    Buffer.concat([
      Buffer.from(PREFACE),
      settings([Setting.HEADER_TABLE_SIZE, 0], [Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]),
      windowUpdate(0, 2 ** 30),
      ...requests,
    ]),
  )
  const isClosed = async (): Promise<boolean> => {
    // `drain()` does not resolve while the connection is open and blocked.
    let isOver = false
    void listener.drain().then(() => (isOver = true))
    await settle(50)
    return isOver
  }
  return { listener, client, outcomes, isClosed }
}

async function certificates(): Promise<CertificateSet> {
  const { key, cert } = await testCertificate()
  return new CertificateSet([await loadCredentials({ key, cert })])
}

const respondLarge = (exchange: Exchange): void => exchange.respond(200, [], LARGE)
const aborted = (outcomes: readonly Outcome[]): number => outcomes.filter((outcome) => outcome.aborted).length

describe('a client that stops reading its socket with wide windows', () => {
  it.each([
    ['without TLS', false],
    ['over TLS', true],
  ])('loses its connection after writeStallTimeoutMs, %s', async (_name, isSecure) => {
    const { outcomes, isClosed } = await serve(respondLarge, { limits: { writeStallTimeoutMs: 500 }, isSecure })
    await expect.poll(() => outcomes.length).toBe(STREAMS)
    expect(aborted(outcomes)).toBe(STREAMS)
    expect(await isClosed()).toBe(true)
  })

  it('does not block a handler in drained() indefinitely', async () => {
    let isOver = false
    const stream = async (exchange: Exchange): Promise<void> => {
      exchange.start(200, [])
      while (exchange.isOpen) {
        exchange.write(Buffer.alloc(32_768))
        await exchange.drained()
      }
      isOver = true
    }
    const { outcomes, isClosed } = await serve((exchange) => void stream(exchange), {
      limits: { writeStallTimeoutMs: 500 },
      streams: 1,
    })
    await expect.poll(() => isOver).toBe(true)
    await expect.poll(() => aborted(outcomes)).toBe(1)
    expect(await isClosed()).toBe(true)
  })
})

describe("a client that does not open its connection's window", () => {
  it.each([
    ['at all', 0],
    ['by more than one byte at a time', 1],
  ])('loses its connection after writeStallTimeoutMs if it does not open the window %s', async (_name, step) => {
    const { port, outcomes } = await serveEngines((exchange) => exchange.respond(200, [], LARGE), {
      writeStallTimeoutMs: 500,
    })
    const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]] })
    client.send(headers(1, request()), headers(3, request()))
    const timer = setInterval(() => step > 0 && client.send(windowUpdate(0, step)), 20)
    await expect.poll(() => client.isClosed).toBe(true)
    clearInterval(timer)
    expect(outcomes).toMatchObject([{ aborted: true }, { aborted: true }])
  })
})

describe('a client that reads slowly and steadily', () => {
  it('receives all responses, even if one write takes longer than writeStallTimeoutMs', async () => {
    const { client, outcomes } = await serve(respondLarge, { limits: { writeStallTimeoutMs: 800 } })
    let received = 0
    const timer = setInterval(() => {
      const slice = client.read(Math.min(client.readableLength, 40_000)) as Buffer | null
      received += slice?.length ?? 0
    }, 20)
    await expect.poll(() => received).toBeGreaterThan(STREAMS * LARGE.length)
    clearInterval(timer)
    expect(outcomes).toHaveLength(STREAMS)
    expect(aborted(outcomes)).toBe(0)
  })

  it('receives all responses when the server begins to close', async () => {
    const small = Buffer.alloc(60_000, 'x')
    let requests = 0
    const respond = (exchange: Exchange): void => {
      requests++
      exchange.respond(200, [], small)
    }
    const { client, listener } = await serve(respond, { limits: { lingerTimeoutMs: 300 } })
    await expect.poll(() => requests).toBe(STREAMS)
    const drained = listener.drain()
    let received = 0
    const timer = setInterval(() => {
      const slice = client.read(Math.min(client.readableLength, 20_000)) as Buffer | null
      received += slice?.length ?? 0
    }, 20)
    await drained
    await expect.poll(() => received).toBeGreaterThan(STREAMS * small.length)
    clearInterval(timer)
  })
})
