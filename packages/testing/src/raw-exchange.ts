import { setImmediate } from 'node:timers/promises'
import { openSocket } from './open-socket.ts'

/** What came back from a raw exchange. */
export interface RawResult {
  readonly bytes: Uint8Array
  /** The same bytes, one character each (latin1). */
  readonly text: string
  /** `fin`: the server closed in order; `reset`: it cut the connection; `open`: it did neither in time. */
  readonly ended: 'fin' | 'reset' | 'open'
}

/** How a raw exchange is made. */
export interface RawOptions {
  readonly host?: string
  readonly tls?: boolean
  /** Ends the exchange when the server has sent nothing for so long; 1,000 unless given. */
  readonly timeoutMs?: number
  /** Ends the exchange as soon as what was received fulfils it, with the connection still open. */
  readonly until?: (text: string) => boolean
  /** Sends FIN after the last slice. */
  readonly halfClose?: boolean
}

/** Of silence, not one: a machine that stands still for long makes one of them late, and the rest come after it. */
const SILENT_TICKS = 20

/**
 * Sends bytes as they are and collects everything that comes back until the server closes or falls silent.
 *
 * Slices are written one by one, in turns of the event loop of their own, so that a server in this process sees them
 * apart.
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
  // A server that is done with us may reset while we still write; that is a result, not a failure of the test.
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

/** Lets the event loop poll at least once, so that a server in this process accepts or reads. */
async function turn(): Promise<void> {
  await setImmediate()
  await setImmediate()
}
