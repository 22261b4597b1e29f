import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { closed, rawExchange, settle } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveEngines as serve } from '../serve-engines.ts'

const MIB = 1024 * 1024
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Returns all text until the server closes or resets the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (data) => (text += String(data)))
  await once(socket, 'close')
  return text
}

/** Starts a response and never ends it. */
function half(exchange: Exchange): void {
  exchange.start(200, [])
  exchange.write(Buffer.from('half'))
}

/** Sends the last response on a connection. */
function refuse(exchange: Exchange): void {
  exchange.respond(413, ['connection', 'close'], null)
}

const statuses = (text: string): string[] =>
  Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status = '']) => status)

describe('a client that sends FIN', () => {
  it('receives a waiting response and the responses to its pipelined requests', async () => {
    const { port, outcomes } = await serve((exchange) => exchange.respond(200, [], Buffer.alloc(8 * MIB)))
    const socket = await open(port)
    socket.end(get('/1') + get('/2') + get('/3'))
    await settle(200)
    expect(outcomes.length).toBeLessThan(3)
    expect(statuses(await rest(socket))).toEqual(['200', '200', '200'])
    expect(outcomes.map(({ aborted }) => aborted)).toEqual([false, false, false])
  })

  it('is reported with 499 for an incomplete request after a waiting response', async () => {
    const { port, refusals } = await serve((exchange) => exchange.respond(200, [], Buffer.alloc(8 * MIB)))
    const socket = await open(port)
    socket.end(`${get('/1')}GET /2 HT`)
    await settle(100)
    expect(statuses(await rest(socket))).toEqual(['200'])
    expect(refusals.map(({ status }) => status)).toEqual([499])
  })

  it('counts as disconnected if a later response is not ready', async () => {
    const targets: string[] = []
    const { port, outcomes } = await serve((exchange) => {
      targets.push(exchange.target)
      if (exchange.target === '/1') exchange.respond(200, [], Buffer.alloc(8 * MIB))
    })
    const socket = await open(port)
    socket.end(get('/1') + get('/2') + get('/3'))
    await settle(100)
    expect(statuses(await rest(socket))).toEqual(['200'])
    expect(targets).toEqual(['/1', '/2'])
    expect(outcomes.map(({ aborted }) => aborted)).toEqual([false, true])
  })

  it('receives a streamed response without its end', async () => {
    let exchange: Exchange | undefined
    const { port, outcomes } = await serve((begun) => {
      exchange = begun
      begun.start(200, [])
      begun.write(Buffer.from('half'))
    })
    const socket = await open(port)
    socket.end(get('/'))
    const text = await rest(socket)
    expect(text).toMatch(/4\r\nhalf\r\n$/)
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 4, aborted: true }])
    expect(exchange?.isOpen).toBe(false)
  })
})

describe('an incomplete response that only FIN would end', () => {
  const old = 'GET / HTTP/1.0\r\n\r\n'

  it("ends with a reset after the client's FIN", async () => {
    const { port } = await serve(half)
    expect(await rawExchange(port, old, { halfClose: true })).toMatchObject({ ended: 'reset' })
  })

  it('ends with a reset when the server is destroyed', async () => {
    const { port, listener } = await serve((exchange) => {
      half(exchange)
      setTimeout(() => listener.destroy(), 50)
    })
    expect(await rawExchange(port, old)).toMatchObject({ ended: 'reset' })
  })

  it('ends with a reset if the client does not read it', async () => {
    const { port, outcomes } = await serve(
      (exchange) => {
        exchange.start(200, [])
        exchange.write(Buffer.alloc(32 * MIB))
        exchange.end()
      },
      { writeStallTimeoutMs: 300 },
    )
    const socket = await open(port)
    const failed = once(socket, 'error')
    socket.pause().write(old)
    await expect.poll(() => outcomes).toMatchObject([{ aborted: true }])
    socket.resume()
    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }])
  })

  it('ends with a reset if the client does not read its last bytes', async () => {
    // Slightly less than the socket's high-water mark, after the kernel buffers are full.
    const piece = Buffer.alloc(60_000)
    const { port, outcomes } = await serve(
      (exchange) => {
        exchange.start(200, [])
        const fill = (): void => {
          if (exchange.bufferedBytes > 0) {
            exchange.end()
            return
          }
          exchange.write(piece)
          setTimeout(fill, 2)
        }
        fill()
      },
      { writeStallTimeoutMs: 300, lingerTimeoutMs: 300 },
    )
    const socket = await open(port)
    const failed = once(socket, 'error')
    const ended = once(socket, 'close')
    socket.pause().write(old)
    await expect.poll(() => outcomes).toMatchObject([{ aborted: false }])
    await settle(1000)
    socket.resume()
    expect(await Promise.race([failed, ended])).toMatchObject([{ code: 'ECONNRESET' }])
  })
})

describe('a lingering connection', () => {
  // A single read can exceed the limit before the kernel has accepted FIN.
  it('closes when the client exceeds lingerBytes', async () => {
    const { port, listener } = await serve(refuse, { lingerBytes: 1 })
    const request = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${MIB}\r\n\r\n${'x'.repeat(MIB)}`
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(port)))
    await Promise.all(sockets.map((socket) => closed(socket.resume().end(request))))
    await expect(listener.drain()).resolves.toBeUndefined()
  })
})
