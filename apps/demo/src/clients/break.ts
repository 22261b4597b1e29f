import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FaultMessage, FaultName } from '../live/messages.ts'
import { openCleartext, send } from './lane-client.ts'
import type { Target } from './tasks.ts'

/** Size in bytes of a body that is too large for the demo. */
const LARGE_BYTES = 2_000_000
/** Milliseconds before the client disconnects. */
const LEAVE_MS = 300
/** Milliseconds between two bytes of a slow head. */
const DRIP_MS = 1000

/** Causes a fault as a client, and reports what the client saw. */
export async function breakIt(target: Target, fault: FaultName, visitor: string): Promise<FaultMessage> {
  const started = performance.now()
  const seen = await SCENES[fault](target, visitor)
  return {
    fault,
    sentBytes: 0,
    showsStack: false,
    isClosed: false,
    ...seen,
    tookMs: Math.round(performance.now() - started),
  }
}

type Seen = Partial<FaultMessage> & Pick<FaultMessage, 'status' | 'reason'>

const SCENES: Record<FaultName, (target: Target, visitor: string) => Promise<Seen>> = {
  throw: (target, visitor) => ask(target, visitor, '/api/break/throw'),
  sleep: (target, visitor) => ask(target, visitor, '/api/break/sleep'),
  large: (target, visitor) => ask(target, visitor, '/api/echo', new Uint8Array(LARGE_BYTES)),
  garbled: (target) => speak(target, ['GET / HTTP/1.1\r\nHost : twice\r\nHost: once\r\n\r\n']),
  drip: (target) => speak(target, slowly(`GET / HTTP/1.1\r\nHost: ${target.host}:${target.port}\r\n`)),
  async leave(target, visitor) {
    const client = await openCleartext(target)
    const signal = AbortSignal.timeout(LEAVE_MS)
    await send(client, target, visitor, { path: '/api/break/sleep', signal }).catch(() => {})
    await client.close()
    return { status: 0, reason: '', isClosed: true }
  },
}

async function ask(target: Target, visitor: string, path: string, body?: Uint8Array): Promise<Seen> {
  const client = await openCleartext(target)
  try {
    const response = await send(client, target, visitor, body === undefined ? { path } : { path, body })
    const text = await response.text()
    const { title = '' } = parsed(text)
    const showsStack = text.includes(' at ') || text.includes('on purpose')
    return { status: response.status, reason: title, showsStack, sentBytes: body?.length ?? 0 }
  } finally {
    await client.close()
  }
}

/** Sends raw bytes that an HTTP client would not send, and reads the status line of the response. */
async function speak({ host, port }: Target, slices: Iterable<string> | AsyncIterable<string>): Promise<Seen> {
  const socket = connect({ host, port, noDelay: true })
  await once(socket, 'connect')
  const reply = replyOf(socket)
  let sentBytes = 0
  for await (const slice of slices) {
    if (!socket.writable || socket.readableEnded) break
    socket.write(slice)
    sentBytes += slice.length
  }
  const text = await reply
  socket.destroy()
  const [, status = '0', reason = ''] = /^HTTP\/1\.1 (\d{3}) ([^\r]*)/.exec(text) ?? []
  return { status: Number(status), reason, sentBytes, isClosed: true }
}

async function replyOf(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (data: string) => (text += data))
  await Promise.race([once(socket, 'end'), once(socket, 'close')]).catch(() => {})
  return text
}

async function* slowly(text: string): AsyncIterable<string> {
  for (const character of text) {
    yield character
    await setTimeout(DRIP_MS)
  }
}

function parsed(text: string): { title?: string } {
  try {
    return JSON.parse(text) as { title?: string }
  } catch {
    // The body is not a problem document.
    return {}
  }
}
