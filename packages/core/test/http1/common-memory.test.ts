import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { everySplit } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { expect, it, onTestFinished } from 'vitest'
import { serveEngines } from '../serve-engines.ts'

/**
 * Connections are read into memory that they have in common. Whatever is kept of a read, while its handler runs or until the
 * next one, must not change when others are read: between any two segments of each message here, a neighbour sends as much
 * as fills that memory.
 */
const FILLING = Buffer.alloc(200_000, '#')

/** What the server responses each with; bodies and heads come back as the handler saw them. */
const MESSAGES: Record<string, [sent: string, answered: string]> = {
  'one behind the other': [
    'GET /one HTTP/1.1\r\nHost: a\r\nX: first\r\n\r\nGET /two HTTP/1.1\r\nHost: a\r\nX: second\r\n\r\n',
    'GET /one first []GET /two second []',
  ],
  'a body of known length, and one behind it': [
    'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789GET /b HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /a null [0123456789]GET /b null []',
  ],
  'a chunked body with trailers': [
    'POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x="y"\r\nabc\r\n4\r\ndefg\r\n0\r\nX-End: yes\r\n\r\n',
    'POST /c null [abcdefg]x-end,yes',
  ],
  'a body that waits for its reader': [
    'POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789GET /b HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST /late null [0123456789]GET /b null []',
  ],
  'an upgrade, with what follows it': [
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
    // As late as any owner may be.
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
        // Looked at when all is there: each piece has been kept for a while.
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

/** Has the server read as much as fills the common memory. */
async function fill(neighbour: Socket): Promise<void> {
  const before = sunk
  neighbour.write(`${FILLING.length.toString(16)}\r\n`)
  neighbour.write(FILLING)
  neighbour.write('\r\n')
  while (sunk < before + FILLING.length) await nextTurn()
}

it.each(Object.entries(MESSAGES))(
  '%s is understood at every split, whatever others send meanwhile',
  async (_, [sent, responded]) => {
    const { port } = await serveEngines(onRequest)
    const neighbour = await open(port)
    neighbour.write('POST /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    for (const slices of everySplit(Buffer.from(sent))) {
      const socket = await open(port)
      let text = ''
      socket.setEncoding('latin1').on('data', (part: string) => (text += part))
      // Connections that are kept alive are read so.
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
