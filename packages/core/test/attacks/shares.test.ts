import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Exchange } from '@fw/types'
import { Deadlines } from '../../src/engine/event-loop/deadlines.ts'
import { SocketTransport } from '../../src/engine/socket/socket-transport.ts'
import { Http1Connection } from '../../src/http1/connection.ts'
import { DEFAULT_LIMITS } from '../../src/options/limits.ts'
import { MemorySocket } from '../../fuzz/http1/memory-socket.ts'

const POST = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
/** Bytes received per read. */
const RECEIVED_BYTES = 64 * 1024
const CHUNKS = 10_000
const TINY_CHUNKS = '1\r\nx\r\n'.repeat(CHUNKS)

const LINGER_BYTES = 256 * 1024

const deadlines = new Deadlines()

/** Returns a connection whose handler responds with the length of the request body. */
function connect(log: (event: string) => void = () => {}): MemorySocket {
  return connectWith(log).socket
}

function connectWith(log: (event: string) => void): { socket: MemorySocket; connection: Http1Connection } {
  const socket = new MemorySocket()
  const onRequest = (exchange: Exchange): void => {
    let bytes = 0
    exchange.body.consume({
      data: (chunk) => (bytes += chunk.byteLength),
      end: () => {
        log(`${exchange.method} ${bytes}`)
        exchange.respond(200, [], `${bytes}`)
      },
      error: (error) => log(error.message),
    })
  }
  const connection = new Http1Connection(new SocketTransport(socket as unknown as Socket, false), {
    deadlines,
    host: { limits: { ...DEFAULT_LIMITS, lingerBytes: LINGER_BYTES }, altSvc: '', onRefused: () => {}, onRequest },
    onClose: () => {},
  })
  socket.once('close', () => deadlines.unwatch(connection))
  return { socket, connection }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns === 10_000) throw new Error('Condition not met within 10,000 turns')
    await turn()
  }
}

describe('a busy connection', () => {
  it('pauses within received bytes, so that other connections have their turn', async () => {
    const log: string[] = []
    const busy = Array.from({ length: 10 }, () => connect((event) => log.push(event)))
    for (const socket of busy) socket.push(`${POST}${TINY_CHUNKS}0\r\n\r\n`)
    const other = connect((event) => log.push(event))
    other.push(GET)
    await until(() => log.length === busy.length + 1)
    expect(log[0]).toBe('GET 0')
    expect(log.slice(1)).toEqual(busy.map(() => `POST ${CHUNKS}`))
  })

  it('receives its responses after it ends its side, including responses to pipelined requests', async () => {
    const log: string[] = []
    const busy = Array.from({ length: 10 }, () => connect((event) => log.push(event)))
    for (const socket of busy) {
      socket.push(`${POST}${TINY_CHUNKS}0\r\n\r\n${GET}`)
      socket.push(null)
    }
    await until(() => busy.every(({ output }) => output.endsWith('\r\n\r\n0')))
    expect(log.toSorted()).toEqual([...busy.map(() => 'GET 0'), ...busy.map(() => `POST ${CHUNKS}`)])
  })

  it('reports an error far into the received bytes', async () => {
    const log: string[] = []
    const busy = Array.from({ length: 10 }, () => connect((event) => log.push(event)))
    for (const socket of busy) socket.push(`${POST}${TINY_CHUNKS}1 \r\n`)
    await until(() => log.length === busy.length)
    expect(new Set(log)).toEqual(new Set(['Malformed chunk']))
  })

  it('discards its waiting bytes when it closes', async () => {
    const log: string[] = []
    const busy = Array.from({ length: 10 }, () => connect((event) => log.push(event)))
    for (const socket of busy) socket.push(`${POST}${TINY_CHUNKS}0\r\n\r\n`)
    await until(() => busy.some((socket) => socket.isPaused()))
    const waiting = busy.filter((socket) => socket.isPaused())
    for (const socket of waiting) socket.destroy()
    await until(() => log.length === busy.length)
    expect(log.filter((event) => event === 'The connection was closed')).toHaveLength(waiting.length)
  })

  it.each<[string, (connection: Http1Connection) => void]>([
    ['its deadline expires', (connection) => connection.onDeadline()],
    ['the server closes', (connection) => connection.drain()],
  ])('receives its response if %s while it is waiting for its turn', async (_, interrupt) => {
    const busy = Array.from({ length: 10 }, () => connect())
    for (const socket of busy) socket.push(`${POST}${TINY_CHUNKS}0\r\n\r\n`)
    const log: string[] = []
    const { socket, connection } = connectWith((event) => log.push(event))
    // Send more than its share, so that the last request must wait.
    socket.push(GET.repeat(DEFAULT_LIMITS.maxPipelinedRequests + 1))
    await until(() => log.length === DEFAULT_LIMITS.maxPipelinedRequests && socket.isPaused())
    interrupt(connection)
    await until(() => socket.output.split('HTTP/1.1 200').length === DEFAULT_LIMITS.maxPipelinedRequests + 2)
    expect(socket.output).not.toMatch(/HTTP\/1\.1 [45]/)
  })

  it('is still read after a refusal, but only when it is its turn', async () => {
    const refused = Array.from({ length: 20 }, () => connect())
    for (const socket of refused) socket.push('nonsense\r\n\r\n')
    await until(() => refused.every(({ output }) => output.startsWith('HTTP/1.1 400')))
    for (const socket of refused) socket.push(Buffer.alloc(RECEIVED_BYTES))
    await until(() => refused.some((socket) => socket.isPaused()))
    await until(() => !refused.some((socket) => socket.isPaused()))
    expect(refused.some(({ destroyed }) => destroyed)).toBe(false)
    for (let sent = RECEIVED_BYTES; sent <= LINGER_BYTES; sent += RECEIVED_BYTES) {
      for (const socket of refused) socket.push(Buffer.alloc(RECEIVED_BYTES))
    }
    await until(() => refused.every(({ destroyed }) => destroyed))
  })
})
