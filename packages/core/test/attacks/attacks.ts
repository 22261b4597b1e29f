import { connect, type Socket } from 'node:net'

import { UNREAD_KINDS, unreadStreams } from './unread-streams.ts'

/** Opens one hostile connection. When it closes, the caller opens the next one. */
type Attack = (port: number) => Socket

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n'
const POST = 'POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
/** Interval in milliseconds between the bytes of slow connections. */
const DRIP_MS = 100

/** Attacks with many connections, by name. */
export const ATTACKS = {
  'connect and close': (port) => {
    const socket = open(port)
    socket.once('connect', () => socket.destroy())
    return socket
  },
  'connect, send half a head and close': (port) => {
    const socket = open(port)
    socket.end(HEAD)
    return socket
  },
  'heads that never end, one field at a time': (port) => drip(port, HEAD, 'X-A: b\r\n'),
  'bodies, one byte at a time': (port) =>
    drip(port, 'POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n', 'x'),
  'responses of 8 MB that are not read': (port) => {
    const socket = open(port)
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    socket.pause()
    return socket
  },
  'heads of any size': (port) => flood(port, HEAD, `X-A: ${'b'.repeat(8000)}\r\n`),
  'heads of many small fields': (port) => flood(port, HEAD, 'a:\r\n'.repeat(2000)),
  'chunk extensions that never end': (port) => flood(port, `${POST}1;`, 'a=b;'.repeat(2000)),
  'chunks of one byte with an extension each': (port) => flood(port, POST, '1;a=b\r\nx\r\n'.repeat(1000)),
  'chunks of one byte': (port) => flood(port, POST, '1\r\nx\r\n'.repeat(1000)),
  'trailers that never end': (port) => flood(port, `${POST}0\r\n`, 'a: b\r\n'.repeat(1000)),
  'pipelined requests, answers not read': (port) => {
    const socket = flood(port, '', `${HEAD}\r\n`.repeat(500))
    socket.pause()
    return socket
  },
  'pipelined requests': (port) => flood(port, '', `${HEAD}\r\n`.repeat(500)),
} satisfies Record<string, Attack>

/** Attacks on memory with few connections, by name. */
export const MEMORY_ATTACKS: ReadonlyMap<string, Attack> = new Map(
  UNREAD_KINDS.map((kind) => [`unread streams: ${kind}`, unreadStreams(kind)]),
)

export type AttackName = keyof typeof ATTACKS

function open(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false })
  socket.on('error', () => {})
  socket.resume()
  return socket
}

/** Sends `beginning`, then repeats `rest` slowly. */
function drip(port: number, beginning: string, rest: string): Socket {
  const socket = open(port)
  socket.write(beginning)
  const timer = setInterval(() => socket.write(rest), DRIP_MS)
  socket.once('close', () => clearInterval(timer))
  return socket
}

/** Sends `beginning`, then repeats `rest` as fast as the server reads. */
function flood(port: number, beginning: string, rest: string): Socket {
  const socket = open(port)
  const bytes = Buffer.from(rest, 'latin1')
  const send = (): void => {
    while (socket.writable && socket.write(bytes));
  }
  socket.on('drain', send)
  socket.write(beginning)
  send()
  return socket
}
