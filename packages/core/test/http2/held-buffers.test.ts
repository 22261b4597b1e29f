import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { testCertificate } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { expect, it, onTestFinished } from 'vitest'
import { CertificateSet } from '../../src/tls/certificate-set.ts'
import { loadCredentials } from '../../src/tls/credentials.ts'
import { serveEngines } from '../serve-engines.ts'
import { FrameType, Setting, settings, takeFrames, windowUpdate } from './frames.ts'
import { headers } from './hpack.ts'
import { PREFACE, request } from './raw-client.ts'

const SLICE_BYTES = 16_000
const SLICES = 300

/** Writes slices that each repeat one byte. Reuses the buffer whenever `bufferedBytes` is 0. */
async function writeSlices(body: Exchange): Promise<void> {
  let buffer = Buffer.alloc(SLICE_BYTES)
  for (let n = 0; n < SLICES && body.isOpen; n++) {
    buffer.fill(n % 251)
    body.write(buffer)
    if (n % 10 === 0) await body.drained()
    if (body.bufferedBytes > 0) buffer = Buffer.alloc(SLICE_BYTES)
  }
}

async function respond(exchange: Exchange): Promise<void> {
  exchange.start(200, [])
  await writeSlices(exchange)
  exchange.end()
}

it.each([
  ['without TLS', false],
  ['over TLS', true],
])('counts body bytes in bufferedBytes until the socket has accepted them, %s', async (_name, isSecure) => {
  const { key, cert } = await testCertificate()
  const certificates = isSecure ? new CertificateSet([await loadCredentials({ key, cert })]) : undefined
  const { port } = await serveEngines((exchange) => void respond(exchange), {}, certificates)
  const socket = isSecure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] })
    : connectTcp({ port, host: '127.0.0.1' })
  onTestFinished(() => {
    socket.destroy()
  })
  const wide = settings([Setting.HEADER_TABLE_SIZE, 0], [Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1])
  socket.write(Buffer.concat([Buffer.from(PREFACE), wide, windowUpdate(0, 2 ** 30), headers(1, request())]))
  let rest: Buffer = Buffer.alloc(0)
  const body: Buffer[] = []
  let length = 0
  for await (const slice of socket as AsyncIterable<Buffer>) {
    const taken = takeFrames(Buffer.concat([rest, slice]))
    rest = taken.rest
    for (const { type, payload } of taken.frames) {
      if (type !== FrameType.DATA) continue
      body.push(payload)
      length += payload.length
    }
    if (length === SLICES * SLICE_BYTES) break
  }
  const whole = Buffer.concat(body)
  const wrong = Array.from({ length: SLICES }, (_, n) => n).filter(
    (n) => !whole.subarray(n * SLICE_BYTES, (n + 1) * SLICE_BYTES).every((byte) => byte === n % 251),
  )
  expect(wrong).toEqual([])
})
