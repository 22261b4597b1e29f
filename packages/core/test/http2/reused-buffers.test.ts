import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { testCertificate } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CertificateSet } from '../../src/tls/certificate-set.ts'
import { loadCredentials } from '../../src/tls/credentials.ts'
import { serveEngines } from '../serve-engines.ts'
import { FrameType, Setting, settings, takeFrames, windowUpdate } from './frames.ts'
import { headers } from './hpack.ts'
import { PREFACE, request } from './raw-client.ts'

/** Slice size that the server copies into its output buffer. */
const SLICE_BYTES = 3000
/** Number of slices that exceed the socket buffers. */
const SLICES = 4000

const slice = (seed: number, n: number): Buffer => Buffer.alloc(SLICE_BYTES, `${seed}:${n};`)

/** Answers `/seed` with numbered slices, as fast as the client reads them. */
async function respond(exchange: Exchange): Promise<void> {
  const seed = Number(exchange.target.slice(1))
  exchange.start(200, [])
  for (let n = 0; n < (seed === 0 ? SLICES : 50) && exchange.isOpen; n++) {
    if (!exchange.write(slice(seed, n))) await exchange.drained()
  }
  exchange.end()
}

/** Requests `/seed` without reading the response. */
function ask(port: number, seed: number, isSecure: boolean): Socket {
  const socket = isSecure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] })
    : connectTcp({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  const wide = settings([Setting.HEADER_TABLE_SIZE, 0], [Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1])
  const asked = headers(1, request('GET', `/${seed}`))
  socket.write(Buffer.concat([Buffer.from(PREFACE), wide, windowUpdate(0, 2 ** 30), asked]))
  return socket
}

/** Reads the response and reports whether it is the response to `/seed`. */
async function isRight(socket: Socket, seed: number, slices: number): Promise<boolean> {
  let rest: Buffer = Buffer.alloc(0)
  const body: Buffer[] = []
  for await (const received of socket as AsyncIterable<Buffer>) {
    const taken = takeFrames(Buffer.concat([rest, received]))
    rest = taken.rest
    const isOver = taken.frames.some(({ type, flags }) => type === FrameType.DATA && flags === 1)
    body.push(...taken.frames.filter(({ type }) => type === FrameType.DATA).map(({ payload }) => payload))
    if (isOver) break
  }
  const expected = Buffer.concat(Array.from({ length: slices }, (_, n) => slice(seed, n)))
  return Buffer.concat(body).equals(expected)
}

describe.each([
  ['without TLS', false],
  ['over TLS', true],
])('a frame that is waiting for a stalled client, %s', (_name, isSecure) => {
  it.each(['reads again', 'disconnects'])('is not overwritten by other frames until the client %s', async (what) => {
    const { key, cert } = await testCertificate()
    const certificates = isSecure ? new CertificateSet([await loadCredentials({ key, cert })]) : undefined
    const stalled = Promise.withResolvers<void>()
    const { port } = await serveEngines(
      (exchange) => {
        void respond(exchange)
        if (exchange.target === '/0') setTimeout(stalled.resolve, 300)
      },
      {},
      certificates,
    )
    const slow = ask(port, 0, isSecure).pause()
    await stalled.promise
    const others = async (first: number): Promise<boolean[]> =>
      Promise.all(Array.from({ length: 20 }, (_, n) => isRight(ask(port, first + n, isSecure), first + n, 50)))
    expect(new Set(await others(1))).toEqual(new Set([true]))
    if (what === 'disconnects') slow.destroy()
    const after = what === 'disconnects' ? await others(100) : [await isRight(slow, 0, SLICES)]
    expect(new Set(after)).toEqual(new Set([true]))
  })
})
