import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { testCertificate } from './certificate.ts'

it('is made once', async () => {
  expect(await testCertificate()).toBe(await testCertificate())
})

it('is an ECDSA P-256 certificate of the loopback names', async () => {
  const { cert } = await testCertificate()
  const certificate = new X509Certificate(cert)
  expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' })
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(certificate.verify(certificate.publicKey)).toBe(true)
})

it('is valid now and short enough for serverCertificateHashes', async () => {
  const { validFromDate, validToDate } = new X509Certificate((await testCertificate()).cert)
  expect(validFromDate.getTime()).toBeLessThan(Date.now())
  expect(validToDate.getTime()).toBeGreaterThan(Date.now())
  expect(validToDate.getTime() - validFromDate.getTime()).toBeLessThanOrEqual(14 * 24 * 3_600_000)
})

it('comes with the hash of its public key', async () => {
  expect((await testCertificate()).spkiSha256).toMatch(/^[A-Za-z0-9+/]{43}=$/)
})
