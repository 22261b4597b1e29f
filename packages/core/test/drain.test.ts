import { connect, testCertificate, type ProtocolClient, type TestProtocol } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ServerOptions } from '../src/index.ts'
import { startServer } from './programs/run.ts'

const local = { port: 0, host: '127.0.0.1' }
/** The machine may be busy. */
const PATIENTLY = { timeout: 30_000 }
let tls: { key: string; cert: string }

beforeAll(async () => {
  const { key, cert } = await testCertificate()
  tls = { key, cert }
})

/** Where something asks for `/work`, over and over. */
interface Load {
  readonly port: number
  readonly ending: AbortSignal
  /** Told of each response that came whole. */
  readonly onResponse: (client: number) => void
}

/** Asks on one connection at a time, until the server is gone or says that it goes. */
async function ask(protocol: TestProtocol, number: number, { port, ending, onResponse }: Load): Promise<void> {
  let client: ProtocolClient
  for (;;) {
    // Nobody tells a client that a UDP port is closed.
    if (protocol === 'h3' && ending.aborted) return
    try {
      client = await connect(protocol, { port })
    } catch {
      return
    }
    try {
      while (protocol !== 'h3' || !ending.aborted) {
        const response = await client.request({ path: '/work' })
        expect([response.status, await response.text()]).toEqual([200, 'done'])
        onResponse(number)
        if (response.headers.get('connection') === 'close') break
      }
    } catch (error) {
      // A request that the server did not take any more; those that it did are counted there.
      if (error instanceof Error && error.name === 'AssertionError') throw error
    }
    await client.close().catch(() => {})
  }
}

describe('a signal under load', () => {
  it.each<[string, ServerOptions, readonly TestProtocol[]]>([
    ['in clear text', {}, ['h1', 'h1', 'h1', 'h2c', 'h2c']],
    ['over TLS and QUIC', { http3: true }, ['h1+tls', 'h1+tls', 'h2', 'h2', 'h3', 'h3']],
  ])('fails no request that was accepted, and the process ends by itself: %s', async (_how, options, protocols) => {
    const server = await startServer(options.http3 === true ? { ...options, tls } : options, local)
    await using _ = server
    const { port = 0 } = server.started
    const ending = new AbortController()
    const clients = protocols.flatMap((protocol) => [protocol, protocol, protocol])
    const responses = clients.map(() => 0)
    const onResponse = (client: number): void => void (responses[client] = (responses[client] ?? 0) + 1)
    const asking = clients.map((protocol, client) => ask(protocol, client, { port, ending: ending.signal, onResponse }))
    await expect.poll(() => Math.min(...responses), PATIENTLY).toBeGreaterThan(4)
    ending.abort()
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    await Promise.all(asking)
    const accepted = responses.reduce((sum, count) => sum + count, 0)
    expect(await server.last).toEqual({ accepted, aborted: 0, isCutOff: false })
  })

  it('ends at once when it comes a second time', async () => {
    await using server = await startServer({}, local)
    const { url = '' } = server.started
    const never = await fetch(new URL('/never', url))
    const end = never.text().catch(() => 'cut off')
    server.child.kill('SIGINT')
    await expect.poll(() => fetch(url).then(String, () => 'refused')).toBe('refused')
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(143)
    expect(await end).toBe('cut off')
  })
})
