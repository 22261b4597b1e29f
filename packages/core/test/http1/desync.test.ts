import { rawExchange } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { serveEngines } from '../serve-engines.ts'

/** Bytes that belong to the body or the tunnel of the first request, and must not be mistaken for a request. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
const NEXT = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n'

/** Handlers that treat the first request in different ways. */
const HANDLERS = {
  'responds immediately': (exchange) => exchange.respond(200, [], 'x'),
  'responds late': (exchange) => void setTimeout(() => exchange.respond(200, [], 'x'), 5),
  'reads the body, then responds': (exchange) => readThen(exchange, () => exchange.respond(200, [], 'x')),
  'responds, then reads the body': (exchange) => {
    exchange.respond(200, [], 'x')
    readThen(exchange, () => {})
  },
  'streams while it reads': (exchange) => {
    exchange.start(200, [])
    readThen(exchange, () => exchange.end())
  },
  'streams immediately': (exchange) => {
    exchange.start(200, [])
    exchange.write(Buffer.from('x'))
    exchange.end()
  },
  aborts: (exchange) => {
    exchange.start(200, [])
    exchange.write(Buffer.from('x'))
    exchange.abort()
  },
  'first sends an informational response': (exchange) => {
    exchange.inform(103, [])
    exchange.respond(200, [], 'x')
  },
  'pauses the body': (exchange) => {
    exchange.body.pause()
    readThen(exchange, () => exchange.respond(200, [], 'x'))
    setTimeout(() => exchange.body.resume(), 5)
  },
} satisfies Record<string, (exchange: Exchange) => void>

function readThen(exchange: Exchange, then: () => void): void {
  exchange.body.consume({ data: () => {}, end: then, error: () => exchange.abort() })
}

const length = SMUGGLED.length
const chunk = `${length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`
const post = (...fields: string[]): string => `POST /first HTTP/1.1\r\nHost: a\r\n${fields.join('\r\n')}\r\n\r\n`

/** Requests with another request in their body. Handlers must receive only the targets `/first` and `/next`. */
const REQUESTS = {
  'a body of known length': `${post(`Content-Length: ${length}`)}${SMUGGLED}`,
  'a chunked body': `${post('Transfer-Encoding: chunked')}${chunk}`,
  'a body with an expectation': `${post(`Content-Length: ${length}`, 'Expect: 100-continue')}${SMUGGLED}`,
  'a chunked body with an expectation': `${post('Transfer-Encoding: chunked', 'Expect: 100-continue')}${chunk}`,
  'an upgrade with a body': `${post('Connection: upgrade', 'Upgrade: x', `Content-Length: ${length}`)}${SMUGGLED}`,
  'a body in a GET request': `GET /first HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${SMUGGLED}`,
  'a body in a HEAD request': `HEAD /first HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${SMUGGLED}`,
  'trailers that look like fields': `${post('Transfer-Encoding: chunked')}${chunk.slice(0, -2)}Content-Length: 5\r\nHost: b\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
  'a body on HTTP/1.0': `POST /first HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: ${length}\r\n\r\n${SMUGGLED}`,
} satisfies Record<string, string>

const cuts: readonly [name: string, cut: (wire: string) => readonly string[]][] = [
  ['nowhere', (wire) => [wire]],
  [
    'before the body',
    (wire) => [wire.slice(0, wire.indexOf('\r\n\r\n') + 4), wire.slice(wire.indexOf('\r\n\r\n') + 4)],
  ],
  ['within the body', (wire) => [wire.slice(0, -NEXT.length - 5), wire.slice(-NEXT.length - 5)]],
]

describe.each(Object.entries(HANDLERS))('a handler that %s', (what, handler) => {
  it.each(Object.entries(REQUESTS))('is followed by the next request or by none after %s', async (_, wire) => {
    for (const [, cut] of cuts) {
      const targets: string[] = []
      const { port } = await serveEngines((exchange) => {
        targets.push(exchange.target)
        if (exchange.target === '/first') handler(exchange)
        else exchange.respond(200, ['connection', 'close'], 'next')
      })
      const { text, ended } = await rawExchange(port, cut(wire + NEXT), { timeoutMs: 10_000 })
      expect(targets).toEqual(targets.length === 1 ? ['/first'] : ['/first', '/next'])
      expect(ended).not.toBe('open')
      // A client that receives "connection: keep-alive" must receive a response to its next request.
      const isKeptAlive = what !== 'aborts' && text.includes('connection: keep-alive')
      expect(isKeptAlive && !text.endsWith('next')).toBe(false)
    }
  })
})

describe('a CONNECT request', () => {
  const connect = 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n'

  it.each([405, 500, 302])(
    'closes the connection after a response of %i, because tunnel data can follow',
    async (status) => {
      const targets: string[] = []
      const { port } = await serveEngines((exchange) => {
        targets.push(exchange.target)
        exchange.respond(status, [], 'no')
      })
      const { text, ended } = await rawExchange(port, connect + SMUGGLED)
      expect(targets).toEqual(['a:80'])
      expect(text).toMatch(/connection: close\r\n[^]*no$/)
      expect(ended).toBe('fin')
    },
  )

  it.each<[string, (exchange: Exchange) => void]>([
    ['whole', (exchange) => exchange.respond(200, [], 'x')],
    ['streamed', HANDLERS['streams immediately']],
  ])('receives a 200 response (%s) without a length, a transfer coding or content', async (_, response) => {
    const { port } = await serveEngines(response)
    const { text, ended } = await rawExchange(port, connect + SMUGGLED)
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/)
    expect(text).not.toMatch(/content-length|transfer-encoding|smuggled/)
    expect(ended).toBe('fin')
  })
})

it('sends no response to an empty line that no request follows', async () => {
  // A client would mistake an unsolicited response for the one to its next request.
  for (const wire of [NEXT, '']) {
    const limits = { headTimeoutMs: 100, ...(wire === '' ? { firstByteTimeoutMs: 100 } : { keepAliveTimeoutMs: 100 }) }
    const { port, refusals } = await serveEngines((exchange) => exchange.respond(200, [], 'x'), limits)
    const { text, ended } = await rawExchange(port, `${wire}\r\n`, { timeoutMs: 5000 })
    expect(text.match(/HTTP\/1\.1/g) ?? []).toHaveLength(wire === '' ? 0 : 1)
    expect(ended).not.toBe('open')
    expect(refusals).toEqual([])
  }
})
