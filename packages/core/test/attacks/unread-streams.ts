import { connect, type Socket } from 'node:net'
import { Setting, settings } from '../http2/frames.ts'
import { block, headers } from '../http2/hpack.ts'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
/** Number of streams per connection. */
const STREAMS = 100

/** Response types in `memory-target.ts`. Each response has at least 2 MiB and is not read. */
export const UNREAD_KINDS = [
  'shared',
  'sync-bytes',
  'sync-text',
  'async-bytes',
  'async-text',
  'async-json',
  'stream',
] as const

/** Opens 100 HTTP/2 streams with windows of 0 bytes, so no response can be sent. */
export function unreadStreams(kind: (typeof UNREAD_KINDS)[number]): (port: number) => Socket {
  return (port) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {}).resume()
    const head = block([':method', 'GET'], [':scheme', 'http'], [':authority', 'a'], [':path', `/${kind}`])
    const requests = Array.from({ length: STREAMS }, (_, n) => headers(1 + 2 * n, head))
    const first = settings([Setting.HEADER_TABLE_SIZE, 0], [Setting.INITIAL_WINDOW_SIZE, 0])
    socket.write(Buffer.concat([Buffer.from(PREFACE), first, ...requests]))
    return socket
  }
}
