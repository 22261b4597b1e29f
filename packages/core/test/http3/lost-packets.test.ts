import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Exchange } from '@fw/types'
import { connectH3 } from '@fw/testing/h3'
import { describe, expect, it } from 'vitest'
import { bodyOf, serveHttp3 } from '../serve-http3.ts'
import { UdpProxy } from './udp-proxy.ts'

/** Upper bound for the datagrams of one exchange after the handshake, in either direction. */
const MAX_DATAGRAMS = 10
const CONTENT = 'x'.repeat(2000)

const HANDLERS: readonly [what: string, outcome: string, handle: (exchange: Exchange) => void][] = [
  ['a response sent in one call', CONTENT, (exchange) => exchange.respond(200, [], CONTENT)],
  [
    'a response that ends after its content was sent',
    CONTENT,
    (exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from(CONTENT))
      void setImmediate().then(() => exchange.end())
    },
  ],
  [
    'a response that ends when the request ends',
    CONTENT,
    (exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from(CONTENT))
      bodyOf(exchange).then(
        () => exchange.end(),
        () => {},
      )
    },
  ],
  [
    'a response with trailers',
    CONTENT,
    (exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from(CONTENT))
      void setImmediate().then(() => exchange.end(['x-sum', '1']))
    },
  ],
  [
    'an aborted response',
    'aborted',
    (exchange) => {
      exchange.start(200, [])
      exchange.write(Buffer.from(CONTENT))
      void setTimeout(5).then(() => exchange.abort())
    },
  ],
]

async function* lateEnd(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('begun')
  await setTimeout(5)
}

/** Returns the result of a request that loses one datagram. */
async function respondWithout(port: number, direction: 'to-server' | 'to-client', lost: number): Promise<string> {
  await using proxy = await UdpProxy.open(port)
  const client = await connectH3({ port: proxy.port, connectTimeoutMs: 30_000 })
  await (await client.request({ path: '/' })).text()
  let count = 0
  proxy.onDatagram = (way) => way !== direction || count++ !== lost
  const received = client.request({ path: '/', method: 'POST', body: lateEnd() }).then((response) => response.text())
  const late = setTimeout(150_000, 'no end', { ref: false })
  const text = await Promise.race([received.catch(() => 'aborted'), late])
  await client.close()
  return text
}

describe.each(HANDLERS)('%s', (_what, outcome, handle) => {
  it.each(['to-server', 'to-client'] as const)(
    'ends without an error, whichever datagram is lost (%s)',
    async (direction) => {
      await using server = await serveHttp3((exchange) => {
        if (exchange.method === 'GET') exchange.respond(204, [], null)
        else handle(exchange)
      })
      const losses = Array.from({ length: MAX_DATAGRAMS }, (_, lost) => respondWithout(server.port, direction, lost))
      expect(await Promise.all(losses)).toEqual(losses.map(() => outcome))
    },
  )
})

it('allows a client with a limit of four streams to continue, whichever datagram from the server is lost', async () => {
  await using server = await serveHttp3((exchange) => exchange.respond(200, [], 'x'), { maxConcurrentStreams: 4 })
  const losses = Array.from({ length: MAX_DATAGRAMS }, async (_, lost) => {
    await using proxy = await UdpProxy.open(server.port)
    const client = await connectH3({ port: proxy.port, connectTimeoutMs: 30_000 })
    await (await client.request({ path: '/' })).text()
    let count = 0
    proxy.onDatagram = (way) => way !== 'to-client' || count++ !== lost
    const responses = Promise.all(Array.from({ length: 12 }, async () => (await client.request({ path: '/' })).text()))
    const text = await Promise.race([responses, setTimeout(150_000, ['no end'], { ref: false })])
    await client.close()
    return text.join('')
  })
  expect(await Promise.all(losses)).toEqual(losses.map(() => 'x'.repeat(12)))
})
