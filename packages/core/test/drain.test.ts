import { connect, testCertificate, type ProtocolClient, type TestProtocol } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ServerOptions } from '../src/index.ts'
import { startServer } from './programs/run.ts'

const local = { port: 0, host: '127.0.0.1' }
/** Polling options for a busy machine. */
const POLL_OPTIONS = { timeout: 30_000 }
let tls: { key: string; cert: string }

beforeAll(async () => {
  const { key, cert } = await testCertificate()
  tls = { key, cert }
})

/** Server to which requests for `/work` are sent repeatedly. */
interface Load {
  readonly port: number
  readonly ending: AbortSignal
  /** Called for each complete response. */
  readonly onResponse: (client: number) => void
}

/** Sends requests on one connection at a time until the server has closed or announces its end. */
async function sendRequests(protocol: TestProtocol, number: number, { port, ending, onResponse }: Load): Promise<void> {
  let client: ProtocolClient
  for (;;) {
    // UDP does not report a closed port.
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
      // The server did not accept this request. The server itself counts the accepted ones.
      if (error instanceof Error && error.name === 'AssertionError') throw error
    }
    await client.close().catch(() => {})
  }
}

describe('a signal under load', () => {
  it.each<[string, ServerOptions, readonly TestProtocol[]]>([
    ['without TLS', {}, ['h1', 'h1', 'h1', 'h2c', 'h2c']],
    ['over TLS and QUIC', { http3: true }, ['h1+tls', 'h1+tls', 'h2', 'h2', 'h3', 'h3']],
  ])('fails no accepted request before the process exits, %s', async (_how, options, protocols) => {
    const server = await startServer(options.http3 === true ? { ...options, tls } : options, local)
    await using _ = server
    const { port = 0 } = server.started
    const ending = new AbortController()
    const clients = protocols.flatMap((protocol) => [protocol, protocol, protocol])
    const responses = clients.map(() => 0)
    const onResponse = (client: number): void => void (responses[client] = (responses[client] ?? 0) + 1)
    const sending = clients.map((protocol, client) =>
      sendRequests(protocol, client, { port, ending: ending.signal, onResponse }),
    )
    await expect.poll(() => Math.min(...responses), POLL_OPTIONS).toBeGreaterThan(4)
    ending.abort()
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    await Promise.all(sending)
    const accepted = responses.reduce((sum, count) => sum + count, 0)
    expect(await server.last).toEqual({ accepted, aborted: 0, isCutOff: false })
  })

  it('kills the process immediately if a second one follows', async () => {
    await using server = await startServer({}, local)
    const { url = '' } = server.started
    const never = await fetch(new URL('/never', url))
    const end = never.text().catch(() => 'aborted')
    server.child.kill('SIGINT')
    await expect.poll(() => fetch(url).then(String, () => 'refused')).toBe('refused')
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(143)
    expect(await end).toBe('aborted')
  })
})
