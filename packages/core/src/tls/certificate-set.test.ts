import { newTestCertificate } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { CertificateSet } from './certificate-set.ts'
import { loadCredentials, type TlsCredentials } from './credentials.ts'

async function certificateFor(...names: readonly string[]): Promise<TlsCredentials> {
  const { key, cert } = await newTestCertificate(...names)
  return loadCredentials({ key, cert })
}

describe('CertificateSet', () => {
  let set: CertificateSet
  beforeAll(async () => {
    set = new CertificateSet([
      await certificateFor('first.example'),
      await certificateFor('*.example.com'),
      await certificateFor('api.example.com', 'www.example.org'),
    ])
  })

  it.each([
    ['first.example', 0],
    ['www.example.com', 1],
    ['WWW.EXAMPLE.COM', 1],
    // The exact name takes precedence over an earlier wildcard.
    ['api.example.com', 2],
    ['www.example.org', 2],
    // A wildcard matches exactly one label.
    ['a.b.example.com', 0],
    ['example.com', 0],
    ['elsewhere.example', 0],
    ['', 0],
    ['not a host name\0', 0],
  ])('maps the name %j to certificate %i', (name, index) => {
    expect(set.all.indexOf(set.choose(name))).toBe(index)
  })

  it('equals a set with the same certificates in the same order', () => {
    expect(set.equals(new CertificateSet([...set.all]))).toBe(true)
    expect(set.equals(new CertificateSet(set.all.toReversed()))).toBe(false)
    expect(set.equals(new CertificateSet(set.all.slice(1)))).toBe(false)
  })

  it('rejects an empty list', () => {
    expect(() => new CertificateSet([])).toThrow(/at least one certificate/)
  })
})
