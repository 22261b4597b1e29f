import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { testCertificate } from './certificate.ts'
import { chromiumArguments, launchChromium } from './chromium.ts'

it('opens a page over TLS with the test certificate', async () => {
  const { key, cert, spkiSha256: spki } = await testCertificate()
  const server = createSecureServer({ key, cert }, (_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<title>reached</title>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const browser = await launchChromium({ spki })
  try {
    const page = await browser.newPage()
    await page.goto(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect(await page.title()).toBe('reached')
  } finally {
    await browser.close()
    server.close()
  }
})

describe('chromiumArguments', () => {
  it('forces QUIC on the given origin', () => {
    const args = chromiumArguments({ spki: 'hash', quicOrigin: '127.0.0.1:8443', args: ['--lang=de'] })
    expect(args).toContain('--origin-to-force-quic-on=127.0.0.1:8443')
    expect(args).toContain('--ignore-certificate-errors-spki-list=hash')
    expect(args.at(-1)).toBe('--lang=de')
  })

  it('allows alt-svc discovery on a trusted host without forcing QUIC', () => {
    expect(chromiumArguments({ spki: 'hash' })).toContain('--origin-to-force-quic-on=127.0.0.1:1')
  })
})
