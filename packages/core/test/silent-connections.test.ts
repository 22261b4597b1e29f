import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import { testCertificate } from '@fw/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CertificateSet } from '../src/tls/certificate-set.ts'
import { loadCredentials } from '../src/tls/credentials.ts'
import { serveEngines } from './serve-engines.ts'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
const LIMITS = { firstByteTimeoutMs: 300, sessionIdleTimeoutMs: 60_000 }

/** Opens a connection on which the server never receives a whole request. */
async function open(port: number, alpn?: string): Promise<Socket> {
  const options = { port, host: '127.0.0.1' }
  const socket =
    alpn === undefined ? connect(options) : connectTls({ ...options, rejectUnauthorized: false, ALPNProtocols: [alpn] })
  socket.on('error', () => {}).resume()
  onTestFinished(() => void socket.destroy())
  await once(socket, alpn === undefined ? 'connect' : 'secureConnect')
  return socket
}

async function certificates(): Promise<CertificateSet> {
  const { key, cert } = await testCertificate()
  return new CertificateSet([await loadCredentials({ key, cert })])
}

describe('a connection without a request', () => {
  it.each([
    ['TLS with ALPN h2, silent', 'h2', ''],
    ['TLS with ALPN h2, and a part of the preface', 'h2', PREFACE.slice(0, 10)],
    ['TLS with ALPN h2, and the preface without SETTINGS', 'h2', PREFACE],
    ['TLS with ALPN http/1.1, silent', 'http/1.1', ''],
    ['cleartext, silent', undefined, ''],
    ['cleartext, a part of the HTTP/2 preface', undefined, PREFACE.slice(0, 10)],
    ['cleartext, the HTTP/2 preface without SETTINGS', undefined, PREFACE],
  ])('is closed after the first-byte timeout: %s', async (_name, alpn, bytes) => {
    const { port } = await serveEngines(() => {}, LIMITS, alpn === undefined ? undefined : await certificates())
    const startMs = performance.now()
    const socket = await open(port, alpn)
    if (bytes !== '') socket.write(bytes)
    await once(socket, 'close')
    expect(performance.now() - startMs).toBeGreaterThan(250)
  })

  it.each([
    ['TLS', 'h2'],
    ['cleartext', undefined],
  ])('stays open once the HTTP/2 preface is complete: %s', async (_name, alpn) => {
    const { port } = await serveEngines(() => {}, LIMITS, alpn === undefined ? undefined : await certificates())
    const socket = await open(port, alpn)
    socket.write(Buffer.concat([Buffer.from(PREFACE), EMPTY_SETTINGS]))
    const silent = await open(port, alpn)
    await once(silent, 'close')
    expect(socket.closed).toBe(false)
  })
})
