import { connect, type Socket } from 'node:net'
import { Setting, settings } from '../http2/frames.ts'
import { block, headers } from '../http2/hpack.ts'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
/** Streams that a connection may have open. */
const STREAMS = 100

/** How the handlers of `memory-target.ts` make the responses that a client does not read, each of 2 MiB. */
export const UNREAD_KINDS = [
  'shared',
  'sync-bytes',
  'sync-text',
  'async-bytes',
  'async-text',
  'async-json',
  'stream',
] as const

/** Opens 100 HTTP/2 streams with windows of 0 bytes, so that none of the responses can be sent. */
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
