import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

/** A request from a client that reads nothing before it has sent the whole request, such as Python's `http.client`. */
export interface BlockingRequest {
  readonly port: number
  readonly tls: boolean
  readonly head: string
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Maximum number of bytes per second. Default: no limit. */
  readonly bytesPerSecond?: number
  /** Whether to wait until the server closes the connection. Default: `false`. */
  readonly waitsForClose?: boolean
}

/** The result for a client that reads only after it has sent its body. */
export interface BlockingResult {
  readonly text: string
  /** Whether the client could send the whole request. */
  readonly isSent: boolean
  /** The socket error, such as ECONNRESET. */
  readonly error: string | undefined
}

/** Sends a whole request, then reads until the connection closes. */
export async function sendThenRead(request: BlockingRequest): Promise<BlockingResult> {
  const { port, tls, head, body, bytesPerSecond, waitsForClose = false } = request
  const options = { port, host: '127.0.0.1', allowHalfOpen: true }
  const socket = tls ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options)
  let error: string | undefined
  const closed = new Promise<void>((resolve) => socket.once('close', resolve))
  socket.on('error', (failure: NodeJS.ErrnoException) => (error = failure.code ?? failure.message))
  await once(socket, tls ? 'secureConnect' : 'connect')
  socket.pause()
  let isSent = true
  const send = async (bytes: Uint8Array | string): Promise<boolean> => {
    if (socket.destroyed) return false
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain').catch(() => {}), closed])
    return !socket.destroyed
  }
  await send(head)
  for await (const slice of body) {
    isSent = await send(slice)
    if (!isSent) break
    if (bytesPerSecond !== undefined) await sleep((slice.byteLength / bytesPerSecond) * 1000)
  }
  let text = ''
  socket.setEncoding('latin1').on('data', (data) => (text += String(data)))
  const ended = once(socket, 'end').catch(() => {})
  socket.resume()
  await Promise.race([ended, closed])
  // A closed connection rejects bytes, but a lingering one accepts them.
  while (waitsForClose && !socket.destroyed) {
    socket.write(' ')
    await Promise.race([closed, sleep(400)])
  }
  socket.destroy()
  return { text, isSent, error }
}

/** Yields `bytes` zeros in slices of at most `sliceBytes`. */
export function* zeros(bytes: number, sliceBytes = 64 * 1024): Generator<Uint8Array> {
  const slice = Buffer.alloc(sliceBytes)
  for (let left = bytes; left > 0; left -= sliceBytes) yield left < sliceBytes ? slice.subarray(0, left) : slice
}

/** Yields a chunked body of `bytes` zeros. */
export function* chunks(bytes: number): Generator<Uint8Array> {
  for (const slice of zeros(bytes)) {
    yield Buffer.concat([Buffer.from(`${slice.byteLength.toString(16)}\r\n`), slice, Buffer.from('\r\n')])
  }
  yield Buffer.from('0\r\n\r\n')
}
