import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import {
  connect,
  type ClientResponse,
  type ProtocolClient,
  type TestField,
  type TestProtocol,
} from '@fw/testing/clients'

/** An HTTP/1.1 listener that forwards each request over another protocol. */
export interface Bridge {
  readonly port: number
  close(): void
}

interface Head {
  readonly method: string
  readonly target: string
  readonly fields: readonly TestField[]
}

/** Hop-by-hop fields (RFC 9110 §7.6.1), and those that the client sets itself. */
const HOP_BY_HOP = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding'])
const ABSOLUTE_TARGET = /^https?:\/\/([^/?#]*)(.*)$/i

/**
 * Opens a bridge on 127.0.0.1, so that HTTP/1.1 runners can test a server over every protocol.
 *
 * The bridge forwards targets, names and values unchanged. Each connection has its own client and sends its requests one after
 * the other. Requests cannot have bodies. An absolute target becomes authority and path (RFC 9113 §8.3.1). If the server resets
 * a request as malformed, the bridge responds with 400. If a response is truncated, the bridge closes the connection.
 */
export async function openBridge(protocol: TestProtocol, serverPort: number, port = 0): Promise<Bridge> {
  const sockets = new Set<Socket>()
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    // Ignore the error: the runner resets connections.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    void serve(socket, protocol, serverPort)
  })
  await once(listener.listen(port, '127.0.0.1'), 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function serve(socket: Socket, protocol: TestProtocol, port: number): Promise<void> {
  let client: ProtocolClient | undefined
  let received = ''
  try {
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      received += bytes.toString('latin1')
      for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
        const head = parseHead(received.slice(0, end))
        received = received.slice(end + 4)
        client ??= await connect(protocol, { port })
        await forward(socket, client, head)
        if (isLast(head)) return void socket.end()
      }
    }
  } catch {
    // The runner has disconnected, or the response was truncated.
  } finally {
    socket.destroySoon()
    await client?.close().catch(() => {})
  }
}

function parseHead(text: string): Head {
  const [line = '', ...lines] = text.split('\r\n')
  const fields = lines.map((field): TestField => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon), field.slice(colon + 1).trim()]
  })
  return {
    method: line.slice(0, line.indexOf(' ')),
    target: line.slice(line.indexOf(' ') + 1, line.lastIndexOf(' ')),
    fields,
  }
}

function isLast({ fields }: Head): boolean {
  return fields.some(([name, value]) => name.toLowerCase() === 'connection' && value === 'close')
}

async function forward(socket: Socket, client: ProtocolClient, { method, target, fields }: Head): Promise<void> {
  const [, authority, path] = ABSOLUTE_TARGET.exec(target) ?? []
  const kept = fields
    .map(([name, value]): TestField => [name.toLowerCase(), value])
    .filter(([name]) => !HOP_BY_HOP.has(name) && !(name === 'host' && authority !== undefined))
  const sent = client.protocol === 'h2' || client.protocol === 'h2c' ? joinTags(kept) : kept
  const headers: readonly TestField[] = authority === undefined ? sent : [['host', authority], ...sent]
  const leaving = new AbortController()
  const onClose = (): void => leaving.abort()
  socket.once('close', onClose)
  try {
    const request = { method, path: path ?? target, headers, signal: leaving.signal }
    const response = await client.request(request).catch((error: unknown) => resetOf(error))
    if (response === undefined) return void socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
    await send(socket, response, method !== 'HEAD')
  } finally {
    socket.off('close', onClose)
  }
}

function isTags([name]: TestField): boolean {
  return name === 'if-none-match'
}

/** Joins the `If-None-Match` fields, as RFC 9110 §5.3 allows. The Node.js client refuses to send two of them. */
function joinTags(fields: readonly TestField[]): readonly TestField[] {
  const tags = fields.filter(isTags).map(([, value]) => value)
  return tags.length < 2 ? fields : [...fields.filter((field) => !isTags(field)), ['if-none-match', tags.join(', ')]]
}

/** Returns `undefined` for a request that was reset as malformed. @throws any other error */
function resetOf(error: unknown): undefined {
  if (/PROTOCOL_ERROR|0x10e/i.test(String(error))) return undefined
  throw error
}

async function send(socket: Socket, response: ClientResponse, isBodyAllowed: boolean): Promise<void> {
  const fields = response.rawHeaders.filter(
    ([name]) => !['connection', 'transfer-encoding'].includes(name.toLowerCase()),
  )
  const hasLength = fields.some(([name]) => name.toLowerCase() === 'content-length')
  const mayHaveBody = isBodyAllowed && response.status !== 304 && response.status !== 204
  const isChunked = mayHaveBody && !hasLength
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const framing = isChunked ? 'Transfer-Encoding: chunked\r\n' : ''
  socket.write(`HTTP/1.1 ${response.status} Status\r\n${lines}${framing}\r\n`, 'latin1')
  for await (const bytes of response.body) {
    if (isChunked) socket.write(`${bytes.length.toString(16)}\r\n`)
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    if (isChunked) socket.write('\r\n')
  }
  if (isChunked) socket.write('0\r\n\r\n')
}
