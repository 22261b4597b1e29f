import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { Deadlines } from '../../src/engine/event-loop/deadlines.ts'
import { memoryPair, type MemoryEnd } from '../../src/engine/socket/memory-transport.ts'
import type { Transport, TransportOwner } from '../../src/engine/transport.ts'
import { Http1Connection } from '../../src/http1/connection.ts'
import { Http2Connection } from '../../src/http2/connection.ts'
import { DEFAULT_LIMITS } from '../../src/options/limits.ts'

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'
const LARGE = Buffer.alloc(3_000_000, 'x')

/** Collects the bytes that the server writes, at the client's end of a connection. */
class Client implements TransportOwner {
  readonly transport: Transport
  text = ''
  log: string[] = []

  constructor(transport: Transport) {
    this.transport = transport
    transport.open(this)
  }

  onBytes(bytes: Buffer): void {
    this.text += bytes.toString('latin1')
  }
  onEnd(): void {
    this.log.push('end')
  }
  onDrain(): void {}
  onClose(hasFailed: boolean): void {
    this.log.push(hasFailed ? 'failure' : 'close')
  }
}

/** Serves the other end of the client's connection with the HTTP/1.1 and HTTP/2 engines. */
function serve(onRequest: (exchange: Exchange) => void, end: MemoryEnd = {}): { client: Client; closed: string[] } {
  const [client, server] = memoryPair({}, end)
  const closed: string[] = []
  const deadlines = new Deadlines()
  const host = { limits: DEFAULT_LIMITS, altSvc: '', onRefused: () => {}, onRequest }
  const connection: Http1Connection = new Http1Connection(server, {
    host,
    deadlines,
    onHttp2: (taken) => void new Http2Connection(taken, { host, deadlines, onClose: () => closed.push('HTTP/2') }),
    onClose: () => closed.push('HTTP/1.1'),
  })
  expect(connection.scheme).toBe(end.isEncrypted === true ? 'https' : 'http')
  return { client: new Client(client), closed }
}

describe('an engine over memory', () => {
  it('serves sequential and pipelined requests', async () => {
    const seen: (string | number | undefined)[][] = []
    const { client } = serve(
      (exchange) => {
        seen.push([exchange.scheme, exchange.remoteAddress, exchange.remotePort])
        exchange.respond(200, [], `response ${seen.length}`)
      },
      { remoteAddress: '192.0.2.1', remotePort: 7, isEncrypted: true },
    )
    client.transport.writeLatin1(GET)
    await expect.poll(() => client.text).toContain('response 1')
    client.transport.writeLatin1(GET + GET)
    await expect.poll(() => client.text).toContain('response 3')
    expect(seen).toEqual(Array.from({ length: 3 }, () => ['https', '192.0.2.1', 7]))
  })

  it('keeps a body whose bytes were lent', async () => {
    const { client } = serve((exchange) => {
      const pieces: Uint8Array[] = []
      exchange.body.consume({
        data: (piece) => pieces.push(piece),
        end: () => exchange.respond(200, [], Buffer.concat(pieces)),
        error: () => exchange.abort(),
      })
    })
    client.transport.writeLatin1(GET)
    await expect.poll(() => client.text).toContain('200')
    client.transport.writeLatin1('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nfir')
    await sleep(10)
    client.transport.writeLatin1('st.')
    await expect.poll(() => client.text.endsWith('first.')).toBe(true)
  })

  it('sends a large body to a slow client, then closes the connection', async () => {
    const { client, closed } = serve((exchange) => exchange.respond(200, ['connection', 'close'], LARGE))
    client.transport.writeLatin1(GET)
    client.transport.pause()
    await sleep(10)
    client.transport.resume()
    await expect.poll(() => client.log).toEqual(['end'])
    expect(client.text.length).toBeGreaterThan(LARGE.length)
    client.transport.end(() => {})
    await expect.poll(() => [client.log, closed]).toEqual([['end', 'close'], ['HTTP/1.1']])
  })

  it('resets the connection if a response that only FIN would end is aborted', async () => {
    const { client } = serve((exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from('part'))
      setTimeout(() => exchange.abort(), 10)
    })
    client.transport.writeLatin1('GET / HTTP/1.0\r\n\r\n')
    await expect.poll(() => client.log).toEqual(['failure'])
    expect(client.text).toContain('part')
  })

  it('passes the connection to the handler after an upgrade', async () => {
    const { client, closed } = serve((exchange) => {
      const upgraded = exchange.upgrade?.()
      upgraded?.socket.write(Buffer.concat([Buffer.from('head: '), upgraded.head]))
      upgraded?.socket.pipe(upgraded.socket)
    })
    client.transport.writeLatin1('GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\none')
    await expect.poll(() => client.text).toBe('head: one')
    client.transport.writeLatin1(', two')
    client.transport.end(() => {})
    await expect
      .poll(() => [client.text, client.log, closed])
      .toEqual(['head: one, two', ['end', 'close'], ['HTTP/1.1']])
  })

  it('passes the connection to HTTP/2 after its preface, which can arrive in any slices', async () => {
    const { client, closed } = serve((exchange) => exchange.respond(200, [], null))
    for (const part of [PREFACE.slice(0, 5), PREFACE.slice(5, 20), PREFACE.slice(20)]) {
      client.transport.writeLatin1(part)
      await sleep(5)
    }
    // The server sends SETTINGS, and acknowledges the client's.
    await expect.poll(() => client.text).toContain('\0\0\0\x04\x01\0\0\0\0')
    expect(closed).toEqual(['HTTP/1.1'])
    client.transport.destroy()
    await expect.poll(() => closed).toEqual(['HTTP/1.1', 'HTTP/2'])
  })
})
