import { X509Certificate } from 'node:crypto'
import type { Exchange } from '@fw/types'
import { newTestCertificate, testCertificate } from '@fw/testing'
import type { H3Client } from '@fw/testing/h3'
import { describe, expect, it } from 'vitest'
import { ED25519 } from '../../test/ed25519-certificate.ts'
import { serveHttp3 } from '../../test/serve-http3.ts'

/** Returns the fingerprint of the certificate that the client received. */
function shownTo({ connection }: H3Client): string {
  return new X509Certificate(connection.certificate ?? Buffer.alloc(0)).fingerprint256
}

describe('setCredentials over HTTP/3', () => {
  it('uses the new certificate for new handshakes, and keeps open connections and their requests', async () => {
    const exchanges: Exchange[] = []
    await using server = await serveHttp3((exchange) => {
      if (exchange.target === '/wait') exchanges.push(exchange)
      else exchange.respond(200, [], 'hello')
    })
    const [before, after] = [await testCertificate(), await newTestCertificate()]
    const old = await server.connect()
    const running = old.request({ path: '/wait' })
    await expect.poll(() => exchanges.length).toBe(1)

    server.listener.setCredentials(after)
    expect(shownTo(await server.connect())).toBe(new X509Certificate(after.cert).fingerprint256)
    expect(shownTo(old)).toBe(new X509Certificate(before.cert).fingerprint256)
    exchanges[0]?.respond(200, [], 'waited')
    expect(await (await running).text()).toBe('waited')
    expect(await (await old.request({ path: '/' })).text()).toBe('hello')
    expect(old.connection.isOver).toBe(false)
  })

  it('rejects a certificate that QUIC cannot use, and keeps the previous one', async () => {
    await using server = await serveHttp3((exchange) => exchange.respond(200, [], 'hello'))
    expect(() => server.listener.setCredentials(ED25519)).toThrow(
      expect.objectContaining({
        name: 'StartupError',
        message: 'HTTP/3 cannot use an Ed25519 certificate. Use one with an ECDSA or RSA key.',
      }),
    )
    const { cert } = await testCertificate()
    expect(shownTo(await server.connect())).toBe(new X509Certificate(cert).fingerprint256)
  })

  it('completes every handshake while certificates change continuously', async () => {
    await using server = await serveHttp3((exchange) => exchange.respond(200, [], 'hello'))
    const certificates = [await testCertificate(), await newTestCertificate()]
    const turn = setInterval(() => {
      const next = certificates.shift()
      if (next === undefined) return
      certificates.push(next)
      server.listener.setCredentials(next)
    }, 3)
    try {
      const ask = async (): Promise<string> => (await (await server.connect()).request({ path: '/' })).text()
      for (let round = 0; round < 5; round++) {
        expect(await Promise.all(Array.from({ length: 10 }, ask))).toEqual(Array.from({ length: 10 }, () => 'hello'))
      }
    } finally {
      clearInterval(turn)
    }
  })
})
