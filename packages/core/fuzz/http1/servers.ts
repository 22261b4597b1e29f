import { createServer, type Server as NodeServer } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Deadlines } from '../../src/engine/event-loop/deadlines.ts'
import { SocketTransport } from '../../src/engine/socket/socket-transport.ts'
import { Http1Connection } from '../../src/http1/connection.ts'
import { DEFAULT_LIMITS } from '../../src/options/limits.ts'
import { MemorySocket, ReadIntoSocket } from './memory-socket.ts'

/** Request as a server read it, with its whole body. */
export interface Understood {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** A server's result for some input. */
export interface Verdict {
  readonly requests: readonly Understood[]
  /** Reason for a refusal, if any. Node's server reports only the status. */
  readonly refusal: string | undefined
}

const deadlines = new Deadlines()
const FIRST = 'GET /first HTTP/1.1\r\nHost: a\r\n\r\n'

/** Runs the engine on bytes that arrive in the given slices. */
export async function ask(slices: readonly Buffer[]): Promise<Verdict> {
  return askBy(new MemorySocket(), slices)
}

/** Runs the engine on slices that share one read buffer, as on a kept connection. */
export async function askKept(slices: readonly Buffer[]): Promise<Verdict> {
  const socket = new ReadIntoSocket()
  const { requests, refusal } = await askBy(socket, [Buffer.from(FIRST), ...slices])
  if (!socket.isReadInto) throw new Error('The connection does not use its own read buffer')
  return { requests: requests.slice(1), refusal }
}

async function askBy(socket: MemorySocket, slices: readonly Buffer[]): Promise<Verdict> {
  const requests: Understood[] = []
  let refusal: string | undefined
  const connection = new Http1Connection(new SocketTransport(socket as unknown as Socket, false), {
    deadlines,
    host: {
      limits: DEFAULT_LIMITS,
      altSvc: '',
      onRefused: ({ reason }) => (refusal = reason),
      onRequest(exchange) {
        let body = ''
        exchange.body.consume({
          data: (chunk) => (body += Buffer.from(chunk).toString('latin1')),
          end: () => {
            const { method, target, headers } = exchange
            requests.push({ method, target, headers: [...headers], body })
            exchange.respond(200, [], null)
          },
          error: (error) => {
            refusal = error.message
            exchange.respond(400, [], null)
          },
        })
      },
    },
    onClose: () => {},
  })
  await deliver(socket, slices)
  connection.destroy()
  return { requests, refusal }
}

let node: NodeServer | undefined

/** Runs Node's own server, which uses llhttp, on the same slices. */
export async function askNode(slices: readonly Buffer[]): Promise<Verdict> {
  const requests: Understood[] = []
  node ??= createServer({ highWaterMark: 65_536, connectionsCheckingInterval: 2 ** 30 })
  node.removeAllListeners('request').on('request', (request, response) => {
    let body = ''
    request.setEncoding('latin1').on('data', (text: string) => (body += text))
    request.on('end', () => {
      const raw = request.rawHeaders
      const headers = raw.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] ?? ''] as const] : []))
      requests.push({ method: request.method ?? '', target: request.url ?? '', headers, body })
      // Set a length, so that an HTTP/1.0 connection can be kept.
      response.setHeader('content-length', 0).end()
    })
    request.on('error', () => {})
  })
  const socket = new MemorySocket()
  socket.on('error', () => {})
  node.emit('connection', socket)
  await deliver(socket, slices)
  socket.destroy()
  return { requests, refusal: refusalIn(socket.output) }
}

async function deliver(socket: MemorySocket, slices: readonly Buffer[]): Promise<void> {
  for (const slice of slices) {
    if (socket.destroyed || socket.writableEnded) break
    socket.receive(slice)
    await setImmediate()
  }
  // Responses to pipelined requests are sent in successive turns.
  for (let turns = 0; turns < 6; turns++) await setImmediate()
}

function refusalIn(output: string): string | undefined {
  return /^HTTP\/1\.1 ([45]\d\d)/m.exec(output)?.[1]
}
