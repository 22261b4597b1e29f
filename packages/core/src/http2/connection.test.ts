import { once } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { connect, type Socket } from 'node:net'
import type { Exchange } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { serveEngines, type RunningEngines } from '../../test/serve-engines.ts'
import type { Limits } from '../options/limits.ts'

interface Running extends RunningEngines {
  readonly socket: Socket
  readonly session: ClientHttp2Session
}

async function serve(
  onRequest: (exchange: Exchange) => void,
  limits: Partial<Limits> = {},
  settings = {},
): Promise<Running> {
  const engines = await serveEngines(onRequest, limits)
  const socket = connect(engines.port, '127.0.0.1')
  const session = connectHttp2('http://127.0.0.1', { settings, createConnection: () => socket })
  session.on('error', () => {})
  await once(session, 'connect')
  return { ...engines, socket, session }
}

describe('an HTTP/2 connection', () => {
  it('ends its exchanges when the client closes its side of the socket', async () => {
    const { socket, session, outcomes } = await serve(() => {})
    session.request({ ':path': '/' }).on('error', () => {})
    await new Promise((resolve) => session.ping(resolve))
    socket.end()
    await expect.poll(() => outcomes).toEqual([{ status: 0, bodyBytes: 0, aborted: true }])
  })

  it('sends GOAWAY after sessionIdleTimeoutMs without a stream', async () => {
    const { session } = await serve(() => {}, { sessionIdleTimeoutMs: 100 })
    const [code] = (await once(session, 'goaway')) as [number]
    expect(code).toBe(0)
  })

  it.each([1000, 200_000])('aborts a response of %i bytes if the client opens no window', async (length) => {
    const { session, outcomes } = await serve(
      (exchange) => exchange.respond(200, [], Buffer.alloc(length)),
      { writeStallTimeoutMs: 200 },
      { initialWindowSize: 0 },
    )
    session.request({ ':path': '/' }).on('error', () => {})
    await expect.poll(() => outcomes).toEqual([{ status: 200, bodyBytes: length, aborted: true }])
    session.destroy()
  })

  it.each([
    ['stalls', { bodyStallTimeoutMs: 200 }],
    ['takes too long in total', { requestTimeoutMs: 200 }],
  ])('fails a body with 408 if it %s', async (_name, limits) => {
    const errors: Error[] = []
    const { session } = await serve((exchange) => {
      exchange.body.consume({
        data: () => {},
        end: () => {},
        error: (error) => {
          errors.push(error)
          exchange.respond(408, [], null)
        },
      })
    }, limits)
    const stream = session.request({ ':path': '/', ':method': 'POST' })
    stream.on('error', () => {})
    const timer = setInterval(() => 'requestTimeoutMs' in limits && stream.write('x'), 50)
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
    clearInterval(timer)
    expect(headers[':status']).toBe(408)
    expect(errors).toMatchObject([{ name: 'ProtocolError', status: 408 }])
    session.destroy()
  })

  it('answers and reports a refused request', async () => {
    const { session, refusals } = await serve(() => {}, { maxRequestLineBytes: 50 })
    const stream = session.request({ ':path': `/${'a'.repeat(50)}` })
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
    expect(headers[':status']).toBe(414)
    const line = { method: 'GET', target: `/${'a'.repeat(50)}` }
    expect(refusals).toMatchObject([{ status: 414, protocol: 'HTTP/2.0', remoteAddress: '127.0.0.1', ...line }])
    session.destroy()
  })

  it('ignores a response after the client has reset the stream', async () => {
    let exchange: Exchange | undefined
    const { session, outcomes } = await serve((received) => (exchange = received))
    const stream = session.request({ ':path': '/' })
    stream.on('error', () => {})
    await expect.poll(() => exchange).toBeDefined()
    stream.close(8)
    await expect.poll(() => outcomes.length).toBe(1)
    exchange?.respond(200, [], 'late')
    expect(outcomes).toEqual([{ status: 0, bodyBytes: 0, aborted: true }])
    session.destroy()
  })

  it('sends the last GOAWAY after it has responded on all open streams', async () => {
    let exchange: Exchange | undefined
    const { session, listener } = await serve((received) => (exchange = received))
    const stream = session.request({ ':path': '/' })
    await expect.poll(() => exchange).toBeDefined()
    const goaway = once(session, 'goaway')
    const drained = listener.drain()
    await goaway
    exchange?.respond(200, [], 'done')
    expect((await stream.setEncoding('utf8').toArray()).join('')).toBe('done')
    await drained
  })
})
