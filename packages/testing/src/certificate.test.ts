import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testCertificate } from './certificate.ts'

describe('testCertificate', () => {
  it('returns the same certificate on every call', async () => {
    expect(await testCertificate()).toBe(await testCertificate())
  })

  it('returns an ECDSA P-256 certificate for the loopback names', async () => {
    const { cert } = await testCertificate()
    const certificate = new X509Certificate(cert)
    expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' })
    expect(certificate.checkHost('localhost')).toBe('localhost')
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.verify(certificate.publicKey)).toBe(true)
  })

  it('returns a certificate that is valid now and for at most 14 days', async () => {
    const { validFromDate, validToDate } = new X509Certificate((await testCertificate()).cert)
    expect(validFromDate.getTime()).toBeLessThan(Date.now())
    expect(validToDate.getTime()).toBeGreaterThan(Date.now())
    expect(validToDate.getTime() - validFromDate.getTime()).toBeLessThanOrEqual(14 * 24 * 3_600_000)
  })

  it('returns the SHA-256 hash of the public key in Base64', async () => {
    expect((await testCertificate()).spkiSha256).toMatch(/^[A-Za-z0-9+/]{43}=$/)
  })
})
