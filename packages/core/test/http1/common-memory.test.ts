import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { everySplit } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { expect, it, onTestFinished } from 'vitest'
import { serveEngines } from '../serve-engines.ts'

/**
 * Bytes that overwrite the shared read buffer. All connections read into one buffer, so the server must copy the bytes
 * that it keeps. Here another connection fills that buffer between any two segments of each message.
 */
const FILLING = Buffer.alloc(200_000, '#')

/** Messages and their response bodies, which repeat the head and body that the handler received. */
const MESSAGES: Record<string, [sent: string, responded: string]> = {
  'two pipelined requests': [
    'GET /one HTTP/1.1\r\nHost: a\r\nX: first\r\n\r\nGET /two HTTP/1.1\r\nHost: a\r\nX: second\r\n\r\n',
    'GET /one first []GET /two second []',
  ],
  'a body of known length and a second request': [
    'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789GET /b HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /a null [0123456789]GET /b null []',
  ],
  'a chunked body with trailers': [
    'POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x="y"\r\nabc\r\n4\r\ndefg\r\n0\r\nX-End: yes\r\n\r\n',
    'POST /c null [abcdefg]x-end,yes',
  ],
  'a body that waits for its consumer': [
    'POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789GET /b HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /late null [0123456789]GET /b null []',
  ],
  'an upgrade and the bytes after it': [
    'GET /u HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nthis and that',
    'this and that',
  ],
}

let sunk = 0

function onRequest(exchange: Exchange): void {
  if (exchange.target === '/sink') {
    return exchange.body.consume({ data: ({ length }) => (sunk += length), end: () => {}, error: () => {} })
  }
  if (exchange.upgrade !== undefined) {
    const { socket, head } = exchange.upgrade()
    // Leave the bytes unread for a while before the new owner reads them.
    setTimeout(() => {
      socket.write(head)
      socket.pipe(socket)
    }, 2)
    return
  }
  const pieces: Uint8Array[] = []
  const read = (): void =>
    exchange.body.consume({
      data: (piece) => pieces.push(piece),
      end: (trailers) => {
        // Join the pieces only at the end, so that each one is kept for a while.
        const { method, target, headers } = exchange
        exchange.respond(
          200,
          [],
          `${method} ${target} ${headers.get('x')} [${String(Buffer.concat(pieces))}]${trailers.join()}`,
        )
      },
      error: () => exchange.abort(),
    })
  if (exchange.target === '/late') setTimeout(read, 2)
  else read()
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Makes the server overwrite the whole shared buffer. */
async function fill(neighbour: Socket): Promise<void> {
  const before = sunk
  neighbour.write(`${FILLING.length.toString(16)}\r\n`)
  neighbour.write(FILLING)
  neighbour.write('\r\n')
  while (sunk < before + FILLING.length) await nextTurn()
}

it.each(Object.entries(MESSAGES))(
  'receives %s at every split while another connection sends',
  async (_, [sent, responded]) => {
    const { port } = await serveEngines(onRequest)
    const neighbour = await open(port)
    neighbour.write('POST /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    for (const slices of everySplit(Buffer.from(sent))) {
      const socket = await open(port)
      let text = ''
      socket.setEncoding('latin1').on('data', (part: string) => (text += part))
      // Only persistent connections use the shared buffer, so complete one request first.
      socket.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\n')
      await expect.poll(() => text, { interval: 1 }).toMatch(/\[\]$/)
      text = ''
      for (const slice of slices) {
        socket.write(slice)
        await fill(neighbour)
      }
      const bodies = (): string => text.replaceAll(/HTTP\/1\.1 200 [^]*?\r\n\r\n/g, '')
      await expect.poll(bodies, { interval: 1 }).toBe(responded)
      socket.destroy()
    }
  },
)
