import { setImmediate } from 'node:timers/promises'
import { openSocket } from './open-socket.ts'

/** Result of a raw exchange. */
export interface RawResult {
  readonly bytes: Uint8Array
  /** The same bytes as text, with one character per byte (latin1). */
  readonly text: string
  /** `fin` if the server closed the connection, `reset` if it reset the connection, otherwise `open`. */
  readonly ended: 'fin' | 'reset' | 'open'
}

/** Options of `rawExchange`. */
export interface RawOptions {
  readonly host?: string
  readonly tls?: boolean
  /** Ends the exchange when the server has sent nothing for this many milliseconds. Default 1,000. */
  readonly timeoutMs?: number
  /** Ends the exchange as soon as this function returns true for the received text. */
  readonly until?: (text: string) => boolean
  /** Sends FIN after the last slice. */
  readonly halfClose?: boolean
}

/**
 * Number of ticks in `timeoutMs`. A stalled machine can delay one tick. With several ticks, the response still arrives
 * before the last one.
 */
const SILENT_TICKS = 20

/**
 * Sends bytes unchanged, and collects the reply until the server closes the connection or stops sending.
 *
 * Writes each slice in a separate event-loop turn, so that a server in this process receives it in a separate read.
 */
export async function rawExchange(
  port: number,
  input: Uint8Array | string | Iterable<Uint8Array | string>,
  options: RawOptions = {},
): Promise<RawResult> {
  const { host = '127.0.0.1', tls = false, timeoutMs = 1000, until, halfClose = false } = options
  const socket = await openSocket({ port, host, tls: tls && 'http/1.1' })
  const received: Uint8Array[] = []
  const { promise: ended, resolve: end } = Promise.withResolvers<RawResult['ended']>()
  let silentTicks = 0
  socket.on('data', (slice: Uint8Array) => {
    silentTicks = 0
    received.push(slice)
    if (until?.(Buffer.concat(received).toString('latin1')) === true) end('open')
  })
  socket.on('end', () => end('fin'))
  // The server can reset the connection during a write, which is a result and not a test failure.
  socket.on('error', () => end('reset'))
  const timer = setInterval(() => ++silentTicks > SILENT_TICKS && end('open'), timeoutMs / SILENT_TICKS)

  await turn()
  for (const slice of typeof input === 'string' || input instanceof Uint8Array ? [input] : input) {
    if (!socket.writable) break
    silentTicks = 0
    socket.write(typeof slice === 'string' ? Buffer.from(slice, 'latin1') : slice)
    await turn()
  }
  if (halfClose) socket.end()
  const how = await ended
  clearInterval(timer)
  socket.destroy()
  const bytes = Buffer.concat(received)
  return { bytes, text: bytes.toString('latin1'), ended: how }
}

/** Waits until the event loop has polled at least once, so that a server in this process can accept or read. */
async function turn(): Promise<void> {
  await setImmediate()
  await setImmediate()
}
