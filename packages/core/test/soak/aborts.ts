import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { closed } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { DEFAULT_LIMITS } from '../../src/options/limits.ts'
import { TcpListener } from '../../src/listening/tcp-listener.ts'
import { Random } from '@fw/testing/fuzz'

/** Resources that remain after many aborted connections. */
export interface Left {
  readonly connections: number
  readonly requests: number
  /** Number of exchanges without an `onClose` call. */
  readonly openExchanges: number
  /** Number of additional open sockets, including the listening socket. */
  readonly sockets: number
}

/** Maximum time for the remaining resources to close, in milliseconds. */
const CLEANUP_TIMEOUT_MS = 30_000

const REQUESTS = [
  'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /wait HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /stream HTTP/1.1\r\nHost: a\r\n\r\n',
  `POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5000)}`,
  `POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'5\r\nhello\r\n'.repeat(200)}0\r\n\r\n`,
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5000)}`,
] as const

/**
 * Opens connections that send requests and stop at random points within a head, body or response, by FIN or by reset.
 *
 * @param width Number of concurrent connections
 */
export async function abortEverywhere(width: number, milliseconds: number, seed = 1): Promise<Left> {
  const before = countSockets()
  let requests = 0
  let open = 0
  const listener = new TcpListener({
    tls: undefined,
    http2: true,
    host: {
      limits: DEFAULT_LIMITS,
      altSvc: '',
      onRefused: () => {},
      onRequest(exchange) {
        requests++
        open++
        exchange.onClose = () => open--
        respond(exchange)
      },
    },
  })
  await listener.listen({ port: 0, host: '127.0.0.1' })
  const { port } = listener.address() as AddressInfo
  const until = performance.now() + milliseconds
  let connections = 0
  const worker = async (random: Random): Promise<void> => {
    for (; performance.now() < until; connections++) await openAndAbort(port, random)
  }
  await Promise.all(Array.from({ length: width }, (_, i) => worker(new Random(seed * 10_007 + i))))
  await listener.drain()
  const isLeft = (): boolean => open > 0 || countSockets() > before
  // Both ends are in this process, and the kernel can need some time to deliver a close.
  for (const deadlineMs = performance.now() + CLEANUP_TIMEOUT_MS; isLeft() && performance.now() < deadlineMs;)
    await sleep(20)
  return { connections, requests, openExchanges: open, sockets: countSockets() - before }
}

function respond(exchange: Exchange): void {
  if (exchange.target === '/wait') return
  if (exchange.target === '/read') {
    const end = (): void => exchange.respond(200, [], 'read')
    exchange.body.consume({ data: () => {}, end, error: () => exchange.abort() })
    return
  }
  if (exchange.target !== '/stream') return exchange.respond(200, [], 'hello')
  const chunk = Buffer.alloc(32 * 1024)
  const write = async (): Promise<void> => {
    exchange.start(200, [])
    for (let i = 0; i < 20 && exchange.isOpen; i++) if (!exchange.write(chunk)) await exchange.drained()
    exchange.end()
  }
  void write()
}

async function openAndAbort(port: number, random: Random): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  let wire = ''
  for (let count = random.below(3); count >= 0; count--) wire += random.pick(REQUESTS)
  for (let at = 0; at < wire.length && !socket.destroyed && random.chance(0.85);) {
    const end = at + 1 + random.below(3000)
    socket.write(wire.slice(at, end), 'latin1')
    at = end
    await setImmediate()
  }
  if (random.chance(0.5)) socket.resume()
  if (random.chance(0.3)) await sleep(random.below(20))
  if (random.chance(0.3)) socket.end()
  else if (random.chance(0.5)) socket.resetAndDestroy()
  else socket.destroy()
  // Destroy the socket if the server does not close its side.
  setTimeout(() => socket.destroy(), 200).unref()
  await closed(socket)
}

function countSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length
}
