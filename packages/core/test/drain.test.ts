import { setTimeout as sleep } from 'node:timers/promises'
import { connect, testCertificate, type ProtocolClient, type TestProtocol } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ServerOptions } from '../src/index.ts'
import { startServer } from './programs/run.ts'

const local = { port: 0, host: '127.0.0.1' }
/** Well below what `close()` allows, so that a process that ends by its deadline only is not taken for one that is done. */
const WITHIN_MS = 5_000
let tls: { key: string; cert: string }

beforeAll(async () => {
  const { key, cert } = await testCertificate()
  tls = { key, cert }
})

/**
 * Asks for `/work` on one connection, over and over, until the server is gone or says that it goes.
 *
 * @returns Answers that came whole
 */
async function load(protocol: TestProtocol, port: number, ending: AbortSignal): Promise<number> {
  let answers = 0
  let client: ProtocolClient
  for (;;) {
    // Nobody tells a client that a UDP port is closed.
    if (protocol === 'h3' && ending.aborted) return answers
    try {
      client = await connect(protocol, { port })
    } catch {
      return answers
    }
    try {
      while (protocol !== 'h3' || !ending.aborted) {
        const response = await client.request({ path: '/work' })
        expect([response.status, await response.text()]).toEqual([200, 'done'])
        answers++
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
    const clients = protocols.flatMap((protocol) => [1, 2, 3].map(() => load(protocol, port, ending.signal)))
    await sleep(500)
    const signalledMs = performance.now()
    ending.abort()
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(performance.now() - signalledMs).toBeLessThan(WITHIN_MS)
    const answers = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0)
    const last = await server.last
    expect(last).toEqual({ accepted: answers, aborted: 0 })
    expect(answers).toBeGreaterThan(clients.length)
  })

  it('ends at once when it comes a second time', async () => {
    await using server = await startServer({}, local)
    const { url = '' } = server.started
    const never = fetch(new URL('/never', url)).catch(() => 'cut off')
    expect((await fetch(url)).status).toBe(200)
    server.child.kill('SIGINT')
    await expect.poll(() => fetch(url).then(String, () => 'refused')).toBe('refused')
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(143)
    expect(await never).toBe('cut off')
  })
})
